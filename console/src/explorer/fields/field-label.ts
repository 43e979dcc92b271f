/** The name of a path for people. */
import { elementTexts, fieldTexts } from '../../texts/fields.ts'
import { recordTexts } from '../../texts/records.ts'
import type { Place } from './paths.ts'

export function labelOf(place: Place): string {
  switch (place.kind) {
    case 'field':
      return fieldTexts[place.name] ?? place.name
    case 'label':
      return place.label
    case 'collection':
      return fieldTexts[place.collection] ?? place.collection
    case 'element':
      return recordTexts.element(
        elementTexts[place.collection] ?? place.collection,
        (fieldTexts[place.name] ?? place.name).toLowerCase(),
      )
  }
}
