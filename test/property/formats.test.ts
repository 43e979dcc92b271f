/**
 * The four formats of any answer hold the same records in the same order, in chunks of any size. The tests ingest random
 * extracts, send random queries, and read the answers with independent readers. A failure prints its seed: run again with
 * SEED set to it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { joined } from '../../src/engine/testing/joined-chunks.ts'
import type { ParsedQuery } from '../../src/query/ast.ts'
import { answer } from '../../src/read/answer.ts'
import { datasets } from '../../src/schema/datasets.ts'
import { recordFormats } from '../../src/schema/record-formats.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { arbitraryExtract } from '../fixtures/arbitrary-extract.ts'
import { expectedLabels } from '../fixtures/expected-records.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { JsonDataset, JsonRecord } from '../fixtures/json-record.ts'
import { queriedRecords } from '../fixtures/queried-records.ts'
import { type Service, startService } from '../wire/start-service.ts'
import { arbitraryQuery } from './arbitrary-query.ts'
import { parametersOf } from './query-parameters.ts'
import {
  asArrowReads,
  expectedCells,
  expectedHeader,
  type FileReader,
  openFileReader,
  readArrow,
} from './read-formats.ts'

const seed = campaignSeed

const extracts: readonly (readonly [name: string, tables: ExtractTables])[] = [
  ['the fixture extract', fixtureExtract],
  ...fc
    .sample(arbitraryExtract(), { numRuns: repeated(2, 20), seed })
    .map((tables, i) => [`random extract ${i + 1}`, tables] as const),
]

type Question = {
  readonly clientNumber: string
  readonly labels: readonly string[]
  readonly list: JsonDataset
  readonly query: ParsedQuery
  readonly chunkBytes: number
}

const chunkSizes = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constant(65_536))

function arbitraryQuestion(tables: ExtractTables): fc.Arbitrary<Question> {
  const subjects = tables.clients.flatMap(({ client_number }) => {
    const clientNumber = client_number ?? ''
    const labels = expectedLabels(tables, clientNumber)
    return (['bookings', 'invoices', 'itineraries'] as const).map((list) =>
      fc.record({
        clientNumber: fc.constant(clientNumber),
        labels: fc.constant(labels),
        list: fc.constant(list),
        query: arbitraryQuery(queriedRecords(tables, clientNumber, list), { dataset: list, labels }),
        chunkBytes: chunkSizes,
      }),
    )
  })
  return fc.oneof(...subjects)
}

for (const [name, tables] of extracts) {
  describe(`the formats of ${name}`, () => {
    let service: Service
    let reader: FileReader
    before(async () => {
      service = await startService({ extract: tables })
      reader = await openFileReader()
    })
    after(async () => {
      await reader.close()
      await service.close()
    })

    it('hold the same records in the same order', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryQuestion(tables), async (question) => {
          const { json, ndjson, csv, arrow } = await bodiesOf(question)
          const texts = await reader.ndjson(ndjson)
          assert.equal(`[${texts.join(',')}]`, `[${json}]`)
          const records = JSON.parse(`[${json}]`) as JsonRecord[]
          assert.deepEqual(readArrow(arrow), JSON.parse(asArrowReads(`[${json}]`)))
          await assertCells(csv, records, question)
        }),
        { numRuns: repeated(30, 300), seed },
      )
    })

    async function bodiesOf({ clientNumber, list, query, chunkBytes }: Question) {
      const parameters = parametersOf(query)
      const principal = { accountId: 'a1', accountName: 'test', clientNumber }
      const request = { version: 2, list, principal, query: null, parameters: () => parameters } as const
      const result = await (await answer(request, service.answering)).execute()
      const bodies = await Promise.all(
        recordFormats.map(async (format) => [format, await joined(result.chunks(format, chunkBytes))]),
      )
      return Object.fromEntries(bodies) as Record<(typeof recordFormats)[number], Buffer>
    }

    async function assertCells(body: Buffer, records: readonly JsonRecord[], { list, labels }: Question) {
      const [header, ...rows] = await reader.csv(body)
      const expected = expectedHeader(Object.keys(datasets[list].record.properties), labels)
      assert.deepEqual(header, expected)
      assert.deepEqual(
        rows,
        records.map((record) => expectedCells(record, expected)),
      )
    }
  })
}
