/** Reads the first line of a text file, which may be compressed, and sees whether it is UTF-16. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'

export type FileStart = { readonly firstLine: string; readonly isUtf16: boolean }

const MOST_BYTES = 64 * 1024

export async function startOf(path: string): Promise<FileStart> {
  const bytes = await firstBytes(path)
  const mark = bytes.toString('hex', 0, 2)
  const isUtf16 = mark === 'fffe' || mark === 'feff'
  const even = bytes.subarray(0, bytes.length & ~1)
  const text = isUtf16 ? (mark === 'feff' ? even.swap16() : even).toString('utf16le') : bytes.toString('utf8')
  const [firstLine = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)
  return { firstLine, isUtf16 }
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
