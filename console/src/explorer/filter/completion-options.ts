/** What the editor offers where something is expected. The names of the API are written; people's names stand beside them. */
import type { Completion } from '@codemirror/autocomplete'
import { formatCount } from '../../format/numbers.ts'
import { filterTexts } from '../../texts/filters.ts'
import { labelOf } from '../fields/field-label.ts'
import { collectionNamed, type ListField, type ListName, listFields } from '../fields/list-fields.ts'
import { labelPath, type Place, quoted } from '../fields/paths.ts'
import type { Expected } from './complete-filter.ts'
import { valuesPath } from './filter-fields.ts'
import { operatorsOf } from './filter-tree.ts'
import { isCut, type KnownValues, noValues } from './use-values.ts'

const texts = filterTexts.completion

export type CompletionSources = {
  readonly list: ListName
  readonly readLabels: () => Promise<readonly string[]>
  readonly readValues: (path: string, written: string) => Promise<KnownValues>
}

type Offer = {
  readonly options: readonly Completion[]
  /** Whether what is written next only narrows them. */
  readonly isWhole: boolean
}

/** @param written of what is expected, so far */
export async function optionsFor(
  expected: Expected,
  written: string,
  sources: CompletionSources,
): Promise<Offer> {
  if (expected.kind === 'value') return values(expected.place, written, sources.readValues)
  return { options: await namesFor(expected, sources), isWhole: true }
}

async function namesFor(
  expected: Exclude<Expected, { readonly kind: 'value' }>,
  { list, readLabels }: CompletionSources,
): Promise<readonly Completion[]> {
  switch (expected.kind) {
    case 'condition':
      return expected.collection === undefined
        ? [...recordFields(list), ...(await readLabels()).map(labelOption), ...functions]
        : [...elementFields(list, expected.collection), ...functions.filter(isNoQuantifier)]
    case 'element':
      return elementFields(list, expected.collection)
    case 'label':
      return (await readLabels()).map(labelOption)
    case 'collection':
      return listFields[list].collections.map(({ name }) => collectionOption(name))
    case 'operator':
      return operators(expected.place)
    case 'connective':
      return ['and', 'or'].map((label) => ({ label, apply: `${label} `, type: 'keyword' }))
    case 'nothing':
      return []
  }
}

const recordFields = (list: ListName): readonly Completion[] => [
  ...listFields[list].fields.map((field) => fieldOption(field)),
  ...listFields[list].collections.map(({ name }) => ({ ...collectionOption(name), apply: `${name}.` })),
]

const fieldOption = ({ name, kind }: ListField): Completion => ({
  label: name,
  apply: `${name} `,
  detail: labelOf({ kind: 'field', name, value: kind }),
  type: 'property',
})

const elementFields = (list: ListName, collection: string): readonly Completion[] =>
  (collectionNamed(list, collection)?.fields ?? []).map(fieldOption)

const labelOption = (label: string): Completion => ({
  label: labelPath(label),
  displayLabel: label,
  apply: `${labelPath(label)} `,
  detail: texts.label,
  type: 'variable',
})

const collectionOption = (name: string): Completion => ({
  label: name,
  detail: texts.collection,
  type: 'class',
})

const functions: readonly Completion[] = [
  ...['contains', 'startswith', 'endswith', 'any', 'all'].map((label) => ({
    label,
    apply: `${label}(`,
    detail: texts.function,
    type: 'function',
  })),
  { label: 'not', apply: 'not ', type: 'keyword' },
]

const isNoQuantifier = ({ label }: Completion): boolean => label !== 'any' && label !== 'all'

const written = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'nin'])

function operators(place: Place | undefined): readonly Completion[] {
  const kind = place === undefined || place.kind === 'collection' ? 'text' : kindOfPlace(place)
  return operatorsOf(kind)
    .filter((operator) => written.has(operator))
    .map((operator) => ({
      label: operator,
      apply: operator === 'in' || operator === 'nin' ? `${operator} (` : `${operator} `,
      detail: filterTexts.operators[kind][operator],
      type: 'keyword',
    }))
}

const kindOfPlace = (place: Exclude<Place, { readonly kind: 'collection' }>) =>
  place.kind === 'label' ? 'label' : place.value

async function values(
  place: Place | undefined,
  written: string,
  readValues: CompletionSources['readValues'],
): Promise<Offer> {
  if (place === undefined) return { options: [], isWhole: true }
  const constants = 'value' in place && place.value === 'boolean' ? ['true', 'false', 'null'] : ['null']
  const path = valuesPath(place)
  const text = written.replace(/^'/, '').replaceAll("''", "'")
  const known = path === undefined ? noValues : await readValues(path, text)
  const section = mostFrequentText(known)
  const options = [
    ...known.values.map(({ value, count }, index) => ({
      label: quoted(value),
      ...(section !== undefined && { section }),
      detail: texts.records(formatCount(count)),
      type: 'text',
      // The most frequent first, which the editor would sort by name.
      boost: Math.max(-99, 99 - index),
    })),
    ...constants.map((label) => ({ label, type: 'constant' })),
  ]
  return { options, isWhole: !known.isNarrowed }
}

/** That there are more values than these; undefined when these are all. */
export const mostFrequentText = ({ values, total }: KnownValues): string | undefined =>
  isCut({ values, total }) ? texts.mostFrequent(formatCount(values.length), formatCount(total)) : undefined
