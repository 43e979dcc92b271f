/**
 * Decodes the files that a mapping reads, because the database reads few encodings. A folder of the refresh takes the place of
 * the extract's: it holds copies in UTF-8 of the files that are stated to be in another encoding, or to have another escape than
 * RFC 4180, and links to all others, under the same names. So the SQL of the mapping stays as it is. Copies of files of payments hold no card number.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, symlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import { maskCardNumber, maskCardNumbersIn } from '../card-numbers.ts'
import { type CsvDialect, isForeign } from '../dialect/csv-dialect.ts'
import { plainCsv } from '../dialect/plain-csv.ts'
import { dialectOf, type StatedDialects } from '../dialect/stated-dialects.ts'
import type { PermittedStatement } from '../guard/permitted-statements.ts'
import { encodingOf, isBinary, type StatedEncodings } from '../sources/encodings.ts'
import { compressionOf, formOf, MAPPING_FILE } from '../sources/file-form.ts'
import { decodedText } from '../sources/open-text.ts'
import { holdsCardNumbers, ingestedTables } from '../tables.ts'
import { type NamedFile, namedFiles } from './named-files.ts'
import { encodingsDiffer, fileUndecodable, paymentsShareFile } from './problems.ts'

/** What a mapping states of text files. */
export type StatedTexts = { readonly encodings: StatedEncodings; readonly dialects: StatedDialects }

type Decoding = Stated & { readonly isMasked: boolean }
/** How a file is written; undefined for what needs no decoding. */
type Stated = { readonly encoding: string | undefined; readonly dialect: CsvDialect | undefined }

/**
 * @param workFolder gives a folder of the refresh, when one is needed
 * @returns the folder in which the mapping names its files: the source itself, where nothing has to be decoded
 * @throws Problem ING105 or ING140
 */
export async function decodedFolder(
  source: string,
  statements: readonly PermittedStatement[],
  stated: StatedTexts,
  workFolder: () => string,
): Promise<string> {
  if (stated.encodings.size === 0 && stated.dialects.size === 0) return source
  const files = await filesIn(source)
  const decodings = new Map<string, Decoding>()
  for (const named of namedFiles(
    statements,
    files,
    ingestedTables.map(({ name }) => name),
  )) {
    const decoding = decodingOf(named, stated)
    if (decoding !== null && !(await isBinaryFile(join(source, named.file)))) {
      decodings.set(named.file, decoding)
    }
  }
  if (decodings.size === 0) return source
  const folder = join(workFolder(), 'decoded')
  for (const file of files) {
    const target = join(folder, file)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const decoding = decodings.get(file)
    if (decoding === undefined) await symlink(join(source, file), target)
    else {
      await writeDecoded(join(source, file), target, decoding).catch((cause: unknown) => {
        throw fileUndecodable(file, cause)
      })
    }
  }
  return folder
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .filter((file) => file !== MAPPING_FILE)
}

/** Null for a file that is read as it is. */
function decodingOf({ file, readBy, isDecodedBySql }: NamedFile, stated: StatedTexts): Decoding | null {
  if (isDecodedBySql) return null
  // What no table is read with may still be read while the mapping runs.
  const tables = readBy.length === 0 ? [''] : readBy
  const found = new Map(tables.map((table) => [table, statedFor(table, file, stated)]))
  const [first = nothing, ...others] = found.values()
  if (others.some((other) => shown(other) !== shown(first))) {
    throw encodingsDiffer(
      file,
      [...found].map(([table, each]) => `${shown(each)} for ${table}`),
    )
  }
  if (first.encoding === undefined && first.dialect === undefined) return null
  const plain = tables.filter((table) => !holdsCardNumbers(table))
  const isMasked = plain.length < tables.length
  if (isMasked && plain.length > 0) throw paymentsShareFile(file, plain)
  return { ...first, isMasked }
}

const nothing: Stated = { encoding: undefined, dialect: undefined }

function statedFor(table: string, file: string, { encodings, dialects }: StatedTexts): Stated {
  const dialect = dialectOf(dialects, table)
  const isJson = formOf(file)?.format.startsWith('json') === true
  return {
    encoding: encodingOf(encodings, table),
    dialect: isForeign(dialect) && !isJson ? dialect : undefined,
  }
}

const shown = ({ encoding = 'utf-8', dialect }: Stated): string =>
  dialect === undefined
    ? encoding
    : `${encoding} with escapes ${dialect.escapes}${dialect.quotes ? '' : ' and without quotes'}`

async function isBinaryFile(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const first = Buffer.alloc(4)
    const { bytesRead } = await file.read(first, 0, first.length, 0)
    return compressionOf(path) === undefined && isBinary(first.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

const packers = { gzip: createGzip, zstd: createZstdCompress }

async function writeDecoded(path: string, target: string, decoding: Decoding): Promise<void> {
  const { encoding = 'utf-8', dialect, isMasked } = decoding
  // The database tells by the name how a file is compressed.
  const compression = compressionOf(path)
  const decoded = decodedText(path, compression, encoding)
  const plain = dialect === undefined ? decoded : plainCsv(decoded, dialect)
  const text = isMasked ? withoutCardNumbers(plain) : plain
  const file = createWriteStream(target, { mode: 0o600, flags: 'wx' })
  await (compression === undefined ? pipeline(text, file) : pipeline(text, packers[compression](), file))
}

/** The same text, line by line, in which no digits are left that may be those of a card. */
export async function* withoutCardNumbers(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield Buffer.from(`${lines.map(maskLine).join('\n')}\n`)
  }
  yield Buffer.from(maskLine(rest))
}

/** The numbers of several columns are no number, so what may separate columns separates numbers. */
const maskLine = (line: string): string =>
  maskCardNumbersIn(line).replace(/\p{Nd}(?:[ ._\u00a0\u2009\u202f-]{0,3}\p{Nd}){12,}/gu, maskCardNumber)
