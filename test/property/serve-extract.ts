/**
 * Turns an extract into a snapshot, once for each run of the tests, and sends queries through the one entry point of reading. All
 * extracts of a test run share an engine, like the clients of a server.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { joined } from '../../src/engine/testing/joined-chunks.ts'
import type { WritableRecords } from '../../src/engine/writers/write-records.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { answer } from '../../src/read/answer.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import type { JsonDataset, JsonRecord } from '../fixtures/json-record.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import type { ExtractFormat } from '../fixtures/write-extract.ts'
import type { EnvelopeContent, Parameters } from './query-parameters.ts'

export type ServedExtract = {
  ask(
    clientNumber: string,
    dataset: JsonDataset,
    parameters: Parameters,
  ): Promise<EnvelopeContent & { readonly etag: string }>
  /** Version 1; values are encoded as in an address. */
  askVersion1(
    clientNumber: string,
    list: JsonDataset,
    rawParameters: Parameters,
  ): Promise<readonly JsonRecord[]>
  /** All records of a client, as the text of a format. */
  textOf(clientNumber: string, dataset: JsonDataset, format: 'csv' | 'ndjson'): Promise<string>
  close(): Promise<void>
}

const engine = createMemoryEngine()

export async function serveExtract(
  tables: ExtractTables,
  format: ExtractFormat,
  maxRejectShare = 0,
): Promise<ServedExtract> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-property-'))
  const close = () => rm(folder, { recursive: true })
  const catalogue = await ingest(folder, tables, format, maxRejectShare).catch(async (cause: unknown) => {
    await close()
    throw cause
  })
  const deps = { catalogue, engine, limits: defaultQueryLimits, observe: ignore }
  return {
    async askVersion1(clientNumber, list, parameters) {
      const found = await answer({ ...request(clientNumber, list, parameters), version: 1 }, deps)
      return await recordsOf(await found.execute())
    },
    async ask(clientNumber, dataset, parameters) {
      const found = await answer({ ...request(clientNumber, dataset, parameters), version: 2 }, deps)
      const result = await found.execute()
      return {
        count: result.count,
        records: await recordsOf(result),
        meta: found.meta(result),
        etag: found.etag,
      }
    },
    async textOf(clientNumber, dataset, format) {
      const found = await answer({ ...request(clientNumber, dataset, []), version: 2 }, deps)
      return String(await joined((await found.execute()).chunks(format, 64 * 1024)))
    },
    close,
  }
}

const request = (clientNumber: string, list: JsonDataset, parameters: Parameters) => ({
  list,
  principal: { accountId: 'a1', accountName: 'test', clientNumber },
  // The raw query string, by which the service finds the plan of an earlier query.
  query: parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'),
  parameters: () => parameters,
})

async function recordsOf(result: WritableRecords): Promise<JsonRecord[]> {
  return JSON.parse(`[${await joined(result.chunks('json', 64 * 1024))}]`)
}

/** If no share of rejects is allowed, all rows must be valid: a single reject is a mistake of the test. */
async function ingest(
  data: string,
  tables: ExtractTables,
  format: ExtractFormat,
  maxRejectShare: number,
): Promise<SnapshotCatalogue> {
  await publishExtract({ data }, tables, { format, maxRejectShare })
  if (maxRejectShare === 0) assert.equal(await rejectsIn(join(data, 'snapshots')), '')
  const catalogue = new SnapshotCatalogue(data, ignore, new SharedFiles(data, ignore).open)
  await catalogue.refresh()
  return catalogue
}

async function rejectsIn(snapshots: string): Promise<string> {
  const [snapshot = ''] = await readdir(snapshots)
  return await readFile(join(snapshots, snapshot, 'rejects.ndjson'), 'utf8')
}

const ignore = (): void => undefined
