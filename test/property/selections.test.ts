/**
 * Any selection of members gives exactly those members of the records, in every format and with both engines. The expected
 * records are computed from the rows of the extract, without product code. A failure prints its seed: run again with SEED set
 * to it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createPlacingEngine } from '../../src/engine/postgres/testing/placing-engine.ts'
import { joined } from '../../src/engine/testing/joined-chunks.ts'
import { answer } from '../../src/read/answer.ts'
import { datasets, namedFields, searchedCollections } from '../../src/schema/datasets.ts'
import { recordFormats } from '../../src/schema/record-formats.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { arbitraryExtract } from '../fixtures/arbitrary-extract.ts'
import { expectedLabels } from '../fixtures/expected-records.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { JsonDataset, JsonElement, JsonRecord } from '../fixtures/json-record.ts'
import { queriedRecords } from '../fixtures/queried-records.ts'
import { type Service, startService } from '../wire/start-service.ts'
import { asArrowReads, expectedCells, type FileReader, openFileReader, readArrow } from './read-formats.ts'

const seed = campaignSeed

const extracts: readonly (readonly [name: string, tables: ExtractTables])[] = [
  ['the fixture extract', fixtureExtract],
  ...fc
    .sample(arbitraryExtract(), { numRuns: repeated(1, 10), seed })
    .map((tables, i) => [`random extract ${i + 1}`, tables] as const),
]

const engines = [
  ['memory', undefined],
  ['PostgreSQL', createPlacingEngine('postgres')],
] as const

/** The name of a member and, of a collection or of the labels, the chosen parts. */
type Chosen = { readonly name: string; readonly parts: readonly string[] | null }

type Question = {
  readonly clientNumber: string
  readonly list: JsonDataset
  readonly labels: readonly string[]
  readonly chosen: readonly Chosen[]
  readonly chunkBytes: number
}

const lists = ['bookings', 'invoices', 'itineraries'] as const

function arbitraryQuestion(tables: ExtractTables): fc.Arbitrary<Question> {
  const subjects = tables.clients.flatMap(({ client_number }) => {
    const clientNumber = client_number ?? ''
    const labels = expectedLabels(tables, clientNumber)
    return lists.map((list) =>
      fc.record({
        clientNumber: fc.constant(clientNumber),
        labels: fc.constant(labels),
        list: fc.constant(list),
        chosen: fc
          .shuffledSubarray([...membersOf(list)], { minLength: 1, maxLength: 6 })
          .chain((members) => fc.tuple(...members.map((name) => chosenParts(name, list, labels)))),
        chunkBytes: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constant(65_536)),
      }),
    )
  })
  return fc.oneof(...subjects)
}

/** In the order of the answer: the record as specified, then the additional fields and collections. */
function membersOf(list: JsonDataset): readonly string[] {
  const { record, additionalFields, additionalCollections } = datasets[list]
  return [
    ...Object.keys(record.properties),
    ...additionalFields.map(({ name }) => name),
    ...additionalCollections.map(({ name }) => name),
  ]
}

function partsOf(name: string, list: JsonDataset, labels: readonly string[]): readonly string[] | null {
  if (name === 'customDataFields') return labels
  const collection = searchedCollections(datasets[list]).find((each) => each.name === name)
  return collection === undefined ? null : namedFields(collection).map((field) => field.name)
}

function chosenParts(name: string, list: JsonDataset, labels: readonly string[]): fc.Arbitrary<Chosen> {
  const parts = partsOf(name, list, labels)
  const whole = fc.constant({ name, parts: null })
  if (parts === null || parts.length === 0) return whole
  return fc.oneof(
    whole,
    fc.shuffledSubarray([...parts], { minLength: 1 }).map((some) => ({ name, parts: some })),
  )
}

const written = ({ name, parts }: Chosen): string =>
  parts === null ? name : parts.map((part) => `${name}['${part.replaceAll("'", "''")}']`).join(',')

for (const [name, tables] of extracts) {
  for (const [engine, wrapEngine] of engines) {
    describe(`selections of ${name} with the engine ${engine}`, () => {
      let service: Service
      let reader: FileReader
      before(async () => {
        service = await startService({ extract: tables, ...(wrapEngine && { wrapEngine }) })
        reader = await openFileReader()
      })
      after(async () => {
        await reader.close()
        await service.close()
      })

      it('are the records with the other members removed, in every format', async () => {
        await fc.assert(
          fc.asyncProperty(arbitraryQuestion(tables), async (question) => {
            const { json, ndjson, csv, arrow } = await bodiesOf(question)
            const expected = queriedRecords(tables, question.clientNumber, question.list).map((record) =>
              selected(record, question),
            )
            assert.equal(`[${json}]`, `[${expected.map((record) => textOf(record, question)).join(',')}]`)
            assert.equal(`[${(await reader.ndjson(ndjson)).join(',')}]`, `[${json}]`)
            assert.deepEqual(readArrow(arrow), arrowRecords(`[${json}]`))
            const header = headerOf(question)
            // A table without columns has no cells to read.
            if (header.length === 0) return
            assert.deepEqual(await reader.csv(csv), [
              header,
              ...expected.map((record) => expectedCells(record, header)),
            ])
          }),
          { numRuns: repeated(30, 300), seed },
        )
      })

      async function bodiesOf({ clientNumber, list, chosen, chunkBytes }: Question) {
        const parameters = [['$select', chosen.map(written).join(',')]] as const
        const principal = { accountId: 'a1', accountName: 'test', clientNumber }
        const request = { version: 2, list, principal, query: null, parameters: () => parameters } as const
        const { execute } = await answer(request, service.answering)
        const bodies = await Promise.all(
          recordFormats.map(async (format) => [
            format,
            await joined((await execute()).chunks(format, chunkBytes)),
          ]),
        )
        return Object.fromEntries(bodies) as Record<(typeof recordFormats)[number], Buffer>
      }
    })
  }
}

/** The members in the order of the list, the parts in the order of the whole record. */
function selected(record: JsonRecord, { list, labels, chosen }: Question): JsonRecord {
  const members = inOrder(chosen, list).map(({ name, parts }) => {
    const value = record[name]
    if (name === 'customDataFields') {
      return [name, parts === null ? value : picked(value as JsonElement, parts, labels)] as const
    }
    const collection = searchedCollections(datasets[list]).find((each) => each.name === name)
    if (collection === undefined) return [name, value] as const
    const shown = collection.fields.map((field) => field.name)
    const all = namedFields(collection).map((field) => field.name)
    return [
      name,
      (value as readonly JsonElement[]).map((element) => picked(element, parts ?? shown, all)),
    ] as const
  })
  return Object.fromEntries(members) as JsonRecord
}

/** JSON with the labels in their order: an object would put those first that look like numbers, such as `2024`. */
function textOf(record: JsonRecord, { labels }: Question): string {
  const members = Object.entries(record).map(([name, value]) => {
    const own = value as JsonElement
    const text =
      name === 'customDataFields'
        ? `{${labels.filter((label) => Object.hasOwn(own, label)).map((label) => member(label, JSON.stringify(own[label])))}}`
        : JSON.stringify(value)
    return member(name, text)
  })
  return `{${members.join(',')}}`
}

const member = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`

function picked(object: JsonElement, names: readonly string[], order: readonly string[]): JsonElement {
  const own = order.filter((name) => names.includes(name) && Object.hasOwn(object, name))
  return Object.fromEntries(own.map((name) => [name, object[name] ?? null])) as JsonElement
}

const inOrder = (chosen: readonly Chosen[], list: JsonDataset): readonly Chosen[] => {
  const order = membersOf(list)
  return chosen.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

const headerOf = ({ chosen, list, labels }: Question): readonly string[] =>
  inOrder(chosen, list).flatMap(({ name, parts }) =>
    name === 'customDataFields'
      ? labels.filter((label) => parts?.includes(label) ?? true).map((label) => `${name}.${label}`)
      : [name],
  )

/** What apache-arrow reads has an object of labels in every record. */
const arrowRecords = (json: string): readonly JsonRecord[] =>
  (JSON.parse(asArrowReads(json)) as JsonRecord[]).map((record) => ({
    ...record,
    customDataFields: record.customDataFields ?? {},
  }))
