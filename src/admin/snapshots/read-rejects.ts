/**
 * Reads a page of a list of rejects, which may have millions of lines. The cursor is the offset of a line in the file, so the
 * cost of a page does not depend on its place. Returns null when there is no list; refuses an offset at which no line begins.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { Reject } from '../../ingest/reject-log.ts'
import { badCursor, type Page } from '../paging.ts'

/** @throws DetailedProblem ADM105 */
export async function readRejects(
  path: string,
  { limit, after = '0' }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<Reject> | null> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return null
  try {
    return await pageAt(file, await placeIn(file, after), limit)
  } finally {
    await file.close()
  }
}

const NEWLINE = 10
const CHUNK_BYTES = 64 * 1024

async function placeIn(file: FileHandle, cursor: string): Promise<number> {
  const place = /^\d{1,15}$/.test(cursor) ? Number(cursor) : -1
  if (place === 0) return place
  const before = place < 0 ? Buffer.alloc(0) : await bytesAt(file, place - 1, 1)
  if (before[0] !== NEWLINE) throw badCursor()
  return place
}

async function pageAt(file: FileHandle, start: number, limit: number): Promise<Page<Reject>> {
  const items: Reject[] = []
  let place = start
  let pending = Buffer.alloc(0)
  for (;;) {
    const end = pending.indexOf(NEWLINE)
    if (end < 0) {
      const more = await bytesAt(file, place + pending.length, CHUNK_BYTES)
      // A line without a line feed was being written when its writer died.
      if (more.length === 0) return { items, next: null }
      pending = Buffer.concat([pending, more])
      continue
    }
    // There is another line, so this is not the last page.
    if (items.length === limit) return { items, next: String(place) }
    items.push(JSON.parse(pending.toString('utf8', 0, end)))
    place += end + 1
    pending = pending.subarray(end + 1)
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer<ArrayBuffer>> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
