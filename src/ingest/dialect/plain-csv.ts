/** Writes the text of a CSV file anew by RFC 4180, for readers that know no other form. */
import { splitHeader } from '../sources/csv-header.ts'
import { MAX_RECORD_BYTES } from '../sources/walk-records.ts'
import type { CsvDialect } from './csv-dialect.ts'
import { DialectReader } from './dialect-reader.ts'

const LF = 10
const DELIMITERS = [',', ';', '\t', '|'] as const

/** @throws Error for the first malformed line: whoever reads the text could not tell where it was */
export async function* plainCsv(chunks: AsyncIterable<Buffer>, dialect: CsvDialect): AsyncGenerator<Buffer> {
  let reader: DialectReader | undefined
  let kept: Buffer = Buffer.alloc(0)
  let records = 0
  const plain = (bytes: Buffer, last: boolean): Buffer => {
    reader ??= readerFor(bytes, dialect, last)
    const pieces: Buffer[] = []
    let at = 0
    while (reader !== undefined && at < bytes.length) {
      const judgement = reader.judge(bytes, at, bytes.length, last)
      if (judgement.kind === 'incomplete') break
      if (judgement.kind === 'malformed') {
        throw new Error(
          `${records === 0 ? 'the header' : `row ${records}`} is malformed: ${judgement.reason}`,
        )
      }
      if (judgement.kind === 'record') {
        records++
        pieces.push(reader.plain(bytes, at, judgement.end - LENGTHS[judgement.lineEnd]), lineFeed)
      }
      at = judgement.end
    }
    kept = bytes.subarray(at)
    if (kept.length > 2 * MAX_RECORD_BYTES)
      throw new Error(`row ${records} is longer than ${MAX_RECORD_BYTES} bytes`)
    return Buffer.concat(pieces)
  }
  for await (const chunk of chunks) yield plain(Buffer.concat([kept, chunk]), false)
  yield plain(kept, true)
}

const LENGTHS = { lf: 1, crlf: 2, none: 0 } as const
const lineFeed = Buffer.from('\n')

/** By the first line; undefined while it is not complete. */
function readerFor(bytes: Buffer, dialect: CsvDialect, last: boolean): DialectReader | undefined {
  const lineEnd = bytes.indexOf(LF)
  if (lineEnd < 0 && !last) return undefined
  const header = bytes.toString('utf8', 0, lineEnd < 0 ? bytes.length : lineEnd)
  const columns = (delimiter: string): number => splitHeader(header, delimiter).length
  const delimiter = DELIMITERS.reduce((best, next) => (columns(next) > columns(best) ? next : best))
  return new DialectReader({ delimiter, columns: columns(delimiter), dialect })
}
