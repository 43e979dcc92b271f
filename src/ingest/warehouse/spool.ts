/**
 * Copies rows of a warehouse into a CSV file, which is then read as the file of an extract. The rows pass in chunks as the
 * network brings them; whole card numbers never reach the disk.
 */
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { to } from 'pg-copy-streams'
import { identifier } from '../../postgres/sql-names.ts'
import { CLIENT_FILE_MODE } from '../../snapshot/format/layout.ts'
import { type Masking, maskFields } from '../card-numbers.ts'
import { columnName } from '../sources/match-columns.ts'
import { maskingOf } from '../tables.ts'
import { asRelationProblem } from './problems.ts'
import type { Relation } from './relation.ts'
import { ownSettings, type Snapshot } from './snapshot.ts'

export type SpooledColumn = {
  readonly name: string
  /** SQL of type text. */
  readonly text: string
}

/**
 * @param most rows; all unless given
 * @returns the number of rows
 * @throws Problem ING152, ING154 or PGS1xx; faults of the disk as they are
 */
export async function spoolRows(
  relation: Relation,
  columns: readonly SpooledColumn[],
  path: string,
  { connection }: Snapshot,
  { source, signal, most }: { source: string; signal: AbortSignal | undefined; most?: number },
): Promise<number> {
  const texts = columns.map(({ name, text }) => `${text} as ${identifier(name)}`)
  const before = `copy (select ${texts.join(', ')} from (\n`
  // Rows that no key tells apart are shown in the order in which they come: it has to be the same in each refresh.
  const isSorted = !relation.mayBeOrdered && relation.table.schema.identity.length === 0
  const order = isSorted ? ` order by ${columns.map(({ text }) => `${text} collate "C"`).join(', ')}` : ''
  const after = `\n) as q${order}${most === undefined ? '' : ` limit ${most}`}) to stdout (format csv, header true, null '\\N')`
  const maskingOfColumn = maskingOf(relation.table)
  const masks =
    maskingOfColumn === null
      ? []
      : [new RecordMask((place) => maskingOfColumn(columnName(columns[place]?.name ?? '')))]
  try {
    // It was taken as one statement under these settings (`columnsOf`), and has to be read under them again.
    await connection.query(ownSettings)
    const rows = connection.query(to(`${before}${relation.query}${after}`))
    const file = createWriteStream(path, { mode: CLIENT_FILE_MODE, highWaterMark: WRITE_BYTES })
    await pipeline([rows, ...masks, file], signal === undefined ? {} : { signal })
    return rows.rowCount
  } catch (cause) {
    throw asRelationProblem(relation, source, cause, before.length)
  }
}

const WRITE_BYTES = 2 ** 20

const [QUOTE, LINE_FEED] = [0x22, 0x0a]

/** Masks the fields of CSV records, which may have line feeds in quotes. */
export class RecordMask extends Transform {
  readonly #maskingAt: (place: number) => Masking | undefined
  /** The beginning of a record whose end is in a later chunk. */
  #begun: Buffer[] = []
  #inQuotes = false

  constructor(maskingAt: (place: number) => Masking | undefined) {
    super()
    this.#maskingAt = maskingAt
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    let masked = ''
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === QUOTE) this.#inQuotes = !this.#inQuotes
      if (chunk[at] !== LINE_FEED || this.#inQuotes) continue
      const record = Buffer.concat([...this.#begun, chunk.subarray(start, at)]).toString()
      masked += `${maskFields(record, ',', this.#maskingAt)}\n`
      this.#begun = []
      start = at + 1
    }
    // The chunk is the driver's, which may use its memory again.
    this.#begun.push(Buffer.from(chunk.subarray(start)))
    if (masked !== '') this.push(masked)
    done()
  }
}
