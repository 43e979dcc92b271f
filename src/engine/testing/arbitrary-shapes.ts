/** For tests: random selections of the members of a dataset's records, in their canonical order. */
import fc from 'fast-check'
import type { RecordShape } from '../../query/record-shape.ts'
import { type DatasetName, datasetsByName, namedFields, searchedCollections } from '../../schema/datasets.ts'

export function arbitraryShape(dataset: DatasetName, labels: readonly string[]): fc.Arbitrary<RecordShape> {
  const of = datasetsByName[dataset]
  const some = <T>(items: readonly T[], least = 0) => fc.subarray([...items], { minLength: least })
  const collections = searchedCollections(of).map((collection) =>
    fc
      .oneof(fc.constant(collection.fields), some(namedFields(collection), 1))
      .map((fields) => ({ name: collection.name, fields })),
  )
  return fc
    .record({
      fields: fc.oneof(some(of.fields), some(namedFields(of))),
      labels: fc.oneof(fc.constantFrom('all' as const, null), some(labels)),
      collections: fc.tuple(...collections).chain((each) => some(each)),
    })
    .filter(
      ({ fields, labels: chosen, collections: own }) =>
        fields.length > 0 || chosen !== null || own.length > 0,
    )
}
