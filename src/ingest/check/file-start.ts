/** Reads the first line of a text file, which may be compressed, and tells its encoding. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'

export type FileStart = {
  readonly firstLine: string
  /** Null when the first line is UTF-8; otherwise the encoding that it probably has. */
  readonly encoding: string | null
}

const MOST_BYTES = 64 * 1024

export async function startOf(path: string): Promise<FileStart> {
  const bytes = await firstBytes(path)
  const lineFeed = bytes.indexOf(10)
  const isText = lineFeed < 0 || isUtf8(bytes.subarray(0, lineFeed))
  const encoding = utf16Of(bytes) ?? (isText ? null : 'windows-1252')
  const [firstLine = ''] = new TextDecoder(encoding ?? 'utf-8').decode(bytes).split(/\r?\n/, 1)
  return { firstLine, encoding }
}

/** By the byte order mark, or because the first characters of a table are ASCII, so that every other byte is zero. */
function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const mark = bytes.toString('hex', 0, 2)
  const [one, two] = bytes
  if (mark === 'fffe' || (two === 0 && one !== 0)) return 'utf-16le'
  return mark === 'feff' || (one === 0 && two !== undefined && two !== 0) ? 'utf-16be' : null
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = createReadStream(path)
  const content = contentOf(path, file)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of content) {
      chunks.push(chunk)
      if (chunks.reduce((sum, { length }) => sum + length, 0) >= MOST_BYTES) break
    }
    return Buffer.concat(chunks).subarray(0, MOST_BYTES)
  } finally {
    file.destroy()
  }
}

function contentOf(path: string, file: Readable): AsyncIterable<Buffer> {
  if (/\.gz$/i.test(path)) return piped(file, createGunzip())
  return /\.zst$/i.test(path) ? piped(file, createZstdDecompress()) : file
}

function piped(file: Readable, target: ReturnType<typeof createGunzip>): AsyncIterable<Buffer> {
  file.once('error', (cause) => target.destroy(cause))
  return file.pipe(target)
}
