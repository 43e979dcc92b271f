/**
 * Reads a list of rejects, which may have millions of lines: a page of those that match, or all of them as a stream. The cursor is
 * the offset of a line in the file, so the cost of a page does not depend on its place; a page that would look at too many lines
 * ends early. Null when there is no list; an offset at which no line begins is refused.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { Reject } from '../../ingest/reject-log.ts'
import { badCursor, type Page } from '../paging.ts'

export type RejectFilter = {
  readonly table?: string | undefined
  readonly rule?: string | undefined
  readonly client?: string | undefined
}

type PageRequest = RejectFilter & { readonly limit: number; readonly after?: string | undefined }

/** @throws DetailedProblem ADM105 */
export async function readRejects(
  path: string,
  { limit, after = '0', ...filter }: PageRequest,
): Promise<Page<Reject> | null> {
  const file = await openList(path)
  if (file === null) return null
  try {
    return await pageAt(file, await placeIn(file, after), limit, filter)
  } finally {
    await file.close()
  }
}

/** All rejects that match, in the order of the list; the file is closed when the reader is done or leaves. */
export async function streamRejects(
  path: string,
  filter: RejectFilter,
): Promise<AsyncGenerator<Reject> | null> {
  const file = await openList(path)
  if (file === null) return null
  async function* rejects(opened: FileHandle) {
    try {
      for await (const { reject } of lines(opened, 0)) if (matches(reject, filter)) yield reject
    } finally {
      await opened.close()
    }
  }
  return rejects(file)
}

const openList = (path: string): Promise<FileHandle | null> =>
  open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

const NEWLINE = 10
const CHUNK_BYTES = 64 * 1024
/** Some 30 ms of work. */
const MOST_BYTES_OF_A_PAGE = 4 * 2 ** 20

async function placeIn(file: FileHandle, cursor: string): Promise<number> {
  const place = /^\d{1,15}$/.test(cursor) ? Number(cursor) : -1
  if (place === 0) return place
  const before = place < 0 ? Buffer.alloc(0) : await bytesAt(file, place - 1, 1)
  if (before[0] !== NEWLINE) throw badCursor()
  return place
}

async function pageAt(
  file: FileHandle,
  start: number,
  limit: number,
  filter: RejectFilter,
): Promise<Page<Reject>> {
  const items: Reject[] = []
  for await (const { place, reject } of lines(file, start)) {
    // There is another line, so this is not the last page.
    if (items.length === limit || place - start >= MOST_BYTES_OF_A_PAGE) return { items, next: String(place) }
    if (matches(reject, filter)) items.push(reject)
  }
  return { items, next: null }
}

function matches({ table, rule, client }: Reject, wanted: RejectFilter): boolean {
  return (
    (wanted.table === undefined || wanted.table === table) &&
    (wanted.rule === undefined || wanted.rule === rule) &&
    (wanted.client === undefined || wanted.client === client)
  )
}

async function* lines(file: FileHandle, start: number) {
  let place = start
  let pending = Buffer.alloc(0)
  for (;;) {
    const end = pending.indexOf(NEWLINE)
    if (end < 0) {
      const more = await bytesAt(file, place + pending.length, CHUNK_BYTES)
      // A line without a line feed was being written when its writer died.
      if (more.length === 0) return
      pending = Buffer.concat([pending, more])
      continue
    }
    yield { place, reject: rejectIn(pending.toString('utf8', 0, end)) }
    place += end + 1
    pending = pending.subarray(end + 1)
  }
}

/** Lists of earlier versions name the client in the key, or not at all. */
function rejectIn(line: string): Reject {
  const { table, client, ...reject }: Reject = JSON.parse(line)
  return { table, client: client ?? reject.key?.client_number ?? null, ...reject }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer<ArrayBuffer>> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
