/**
 * Reads one whole collection in one format and coding, repeatedly from several contenders in turn, and measures time, first
 * byte, processor time, and memory above that of the process before its first export.
 */
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type FixedAnswer, recordAnswer } from './contenders/limit.ts'
import type { Server } from './contenders/server.ts'
import type { BenchClient } from './dataset.ts'
import { type Drained, drain } from './drain.ts'
import { forgetPeak, peakBytes, processorTime, settledBytes } from './process-usage.ts'
import { keyOf } from './questions.ts'

export const EXPORTED_LIST = 'bookings'

export const MEBIBYTE = 2 ** 20

export type Representation = {
  readonly format: 'json' | 'ndjson' | 'csv' | 'arrow'
  readonly coding: 'identity' | 'gzip' | 'zstd'
}

export const plainJson: Representation = { format: 'json', coding: 'identity' }

export type Export = Drained & {
  /** Processor time of the server, microseconds. */
  readonly cpu: number
  readonly extraBytes: number
}

/** Exports by name of contender. */
export type Exports = ReadonlyMap<string, readonly Export[]>

/** JSON without a parameter, which every version supports. */
export const exportPath = ({ format }: Representation): string =>
  format === 'json' ? `/api/v2/${EXPORTED_LIST}` : `/api/v2/${EXPORTED_LIST}?$format=${format}`

export const exportHeaders = (client: BenchClient, { coding }: Representation): Record<string, string> => ({
  ...keyOf(client),
  'Accept-Encoding': coding,
})

export async function measureExports(
  contenders: readonly Server[],
  client: BenchClient,
  asked: Representation,
  rounds: number,
): Promise<Exports> {
  const headers = exportHeaders(client, asked)
  const turns = []
  for (const server of contenders) {
    const before = await settledBytes(server.pids)
    forgetPeak(server.pids)
    // The first export warms up: it is not timed, but its memory counts.
    await drain(server.address, exportPath(asked), headers)
    turns.push({ server, before, exports: [] as Export[] })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { server, before, exports } of turns) {
      const spentBefore = processorTime(server.pids)
      const drained = await drain(server.address, exportPath(asked), headers)
      const cpu = processorTime(server.pids) - spentBefore
      exports.push({ ...drained, cpu, extraBytes: peakBytes(server.pids) - before })
    }
  }
  return new Map(turns.map(({ server, exports }) => [server.name, exports]))
}

/** Why the server does not offer this representation, or null. */
export async function refusalOf(
  server: Server,
  client: BenchClient,
  asked: Representation,
): Promise<string | null> {
  const abort = new AbortController()
  const response = await fetch(server.address + exportPath(asked), {
    headers: exportHeaders(client, asked),
    signal: abort.signal,
  })
  const coding = response.headers.get('content-encoding') ?? 'identity'
  abort.abort()
  if (!response.ok) return `the server answers ${response.status}`
  return coding === asked.coding ? null : `the server answers with ${coding}`
}

/** The bytes as they are sent, with their coding. */
export async function recordExport(
  server: Server,
  client: BenchClient,
  asked: Representation,
): Promise<FixedAnswer> {
  const answer = await recordAnswer(server, exportPath(asked), exportHeaders(client, asked))
  const { 'content-length': _length, ...headers } = answer.headers
  if (asked.coding === 'identity') return { ...answer, headers }
  return { ...answer, headers, body: await encodedBytes(server, client, asked) }
}

/** Uses node:http, which does not decode the content; fetch would. */
const encodedBytes = (server: Server, client: BenchClient, asked: Representation): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    request(server.address + exportPath(asked), { headers: exportHeaders(client, asked) }, (response) =>
      buffer(response).then(resolve, reject),
    )
      .on('error', reject)
      .end()
  })
