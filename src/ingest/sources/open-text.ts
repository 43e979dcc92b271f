/**
 * Opens a text file of an extract as plain lines in UTF-8: it is decompressed, decoded and, if it is a JSON array, split into
 * lines on the way. Nothing is written: a working file may only hold text whose card numbers are masked, which is up to who
 * reads. Damaged, cut off or foreign content throws while it is read.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { encodingIn, refuseForeign } from './encodings.ts'
import type { Compression } from './file-form.ts'
import { jsonLines } from './json-array.ts'
import type { SourceFile } from './table-part.ts'

export interface TextReader {
  /** The size of the text, where it is known before it is read. */
  readonly sizeBytes: number | undefined
  /** Fills the buffer from the given place on. @returns the number of bytes read, 0 at the end of the text */
  read(buffer: Buffer, from: number): Promise<number>
  close(): Promise<void>
}

const CHUNK_BYTES = 256 * 1024

/** @throws Problem ING141 when the file is obviously not text in UTF-8, and no other encoding is stated */
export async function openText(source: SourceFile): Promise<TextReader> {
  const { form, path } = source
  if (form === undefined) return openPlain(source, await open(path, 'r'))
  const { compression, encoding, isJson = false } = form
  const text =
    encoding === undefined
      ? checked(source, bytesOf(path, compression))
      : decodedText(path, compression, encoding)
  return new StreamedText(isJson ? jsonLines(text) : text)
}

/** The text of a file in UTF-8, without a byte order mark. */
export const decodedText = (
  path: string,
  compression: Compression | undefined,
  encoding: string,
): AsyncGenerator<Buffer> => decoded(bytesOf(path, compression), encoding)

export const bytesOf = (path: string, compression: Compression | undefined): AsyncGenerator<Buffer> =>
  compression === undefined ? fileBytes(path, 0) : decompressed(path, compression)

async function openPlain(source: SourceFile, file: FileHandle): Promise<TextReader> {
  try {
    const { size } = await file.stat()
    const first = Buffer.alloc(4)
    const { bytesRead } = await file.read(first, 0, first.length, 0)
    refuseForeign(source, first.subarray(0, bytesRead))
    let position = 0
    return {
      sizeBytes: size,
      async read(buffer, from) {
        const { bytesRead } = await file.read(buffer, from, buffer.length - from, position)
        position += bytesRead
        return bytesRead
      },
      close: () => file.close(),
    }
  } catch (cause) {
    await file.close()
    throw cause
  }
}

class StreamedText implements TextReader {
  readonly sizeBytes = undefined
  readonly #chunks: AsyncGenerator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks
  }

  async read(buffer: Buffer, from: number): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) return 0
      this.#rest = next.value
    }
    const copied = this.#rest.copy(buffer, from)
    this.#rest = this.#rest.subarray(copied)
    return copied
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

async function* fileBytes(path: string, start: number): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { start, highWaterMark: CHUNK_BYTES })
}

const engines = { gzip: createGunzip, zstd: createZstdDecompress } satisfies Record<Compression, unknown>

/**
 * A file may consist of several compressed ones. The engines stop silently after the first, or at bytes that are none, so the
 * rest is given to a new engine until nothing is left; that one refuses bytes that are not compressed. Zeros behind a file of
 * gzip are padding, as tapes and mainframes write it.
 */
export async function* decompressed(path: string, compression: Compression): AsyncGenerator<Buffer> {
  const { size } = await stat(path)
  for (let start = 0; start < size; ) {
    if (start > 0 && compression === 'gzip') start = await afterZeros(path, start)
    if (start === size) return
    const file = createReadStream(path, { start, highWaterMark: CHUNK_BYTES })
    const engine = engines[compression]({ chunkSize: CHUNK_BYTES })
    // A failure of the file reaches the reader of the engine.
    pipeline(file, engine, () => undefined)
    try {
      yield* engine
    } finally {
      file.destroy()
      engine.destroy()
    }
    if (engine.bytesWritten === 0) throw new Error('it holds nothing that can be decompressed')
    start += engine.bytesWritten
  }
}

/** The place of the first byte that is not zero, or the end of the file. */
async function afterZeros(path: string, start: number): Promise<number> {
  let at = start
  for await (const chunk of fileBytes(path, start)) {
    const other = chunk.findIndex((byte) => byte !== 0)
    if (other >= 0) return at + other
    at += chunk.length
  }
  return at
}

async function* checked(source: SourceFile, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst) refuseForeign(source, chunk)
    isFirst = false
    yield chunk
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>, stated: string): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingIn(chunk, stated), { fatal: true })
    yield Buffer.from(decoder.decode(chunk, { stream: true }))
  }
  if (decoder !== undefined) yield Buffer.from(decoder.decode())
}
