/**
 * Reads whole collections in a process of its own, so that its work does not count as work of the measuring process. Takes
 * `{address, path, headers, readers}` as JSON from stdin and reads until it is ended.
 */
import { json } from 'node:stream/consumers'
import { drain } from '../drain.ts'

export type ExportReaders = {
  readonly address: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly readers: number
}

process.on('SIGTERM', () => process.exit(0))
const { address, path, headers, readers } = (await json(process.stdin)) as ExportReaders
process.stdout.write(`reading ${address}\n`)
await Promise.all(
  Array.from({ length: readers }, async () => {
    while (true) await drain(address, path, headers)
  }),
)
