/**
 * Tells whether a text file stops inside its last line: that line has no line end although other lines have one. A file that
 * was cut off looks like this, and the rest of its last value may still be valid, such as 110 of 110.55.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { MAX_RECORD_BYTES } from './walk-records.ts'

const LINE_FEED = 10

export async function stopsInsideLine(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size === 0 || (await bytesAt(file, size - 1, 1))[0] === LINE_FEED) return false
    // A file without any line end has one line, so nothing can be compared. No line is longer than this.
    return (await bytesAt(file, 0, MAX_RECORD_BYTES)).includes(LINE_FEED)
  } finally {
    await file.close()
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
