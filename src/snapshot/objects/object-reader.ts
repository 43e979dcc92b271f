/**
 * Reads objects through the cache on the local disk. What leaves has the size and the checksum of its entry; anything else is a
 * fault of the storage at the moment, except that an object that is not there is damage of the snapshot.
 */
import { createHash } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Observe } from '../../observe/observation.ts'
import type { FileContent } from '../verify.ts'
import type { DiskCache } from './disk-cache.ts'
import type { ObjectStore } from './object-store.ts'
import { objectMissing, storageAway } from './problems.ts'

type ObjectEntry = FileContent & { readonly key: string }

export type ObjectReader = {
  /**
   * The content in shared memory.
   *
   * @throws Problem SNP301 when there is no such object, SNP401 when the storage does not work at the moment
   */
  readonly load: (object: ObjectEntry) => Promise<Uint8Array>
  /** The path of a file with the content. */
  readonly path: (object: ObjectEntry) => Promise<string>
  /** Ends what it does on its own. */
  readonly close: () => void
}

/** How long nothing may arrive, while the SDK repeats requests as well. A caller waits for it. */
const IDLE_MS = 5000
/** What arrives more slowly than this is given up: a storage that sends a byte now and then would keep a caller for ever. */
const LEAST_BYTES_PER_MS = 64
/** How soon an object that could not be fetched is fetched again though nobody asks for it; each time twice as long. */
const RETRY_MS = 1000
const LONGEST_RETRY_MS = 16_000

type Waits = { readonly idleMs?: number; readonly retryMs?: number }

/** The content of an answer that broke off or was altered is fetched again; the SDK repeats requests only. */
const ATTEMPTS = 2

export function openObjectReader(
  store: ObjectStore,
  cache: DiskCache,
  observe: Observe,
  { idleMs = IDLE_MS, retryMs = RETRY_MS }: Waits = {},
): ObjectReader {
  let retry: NodeJS.Timeout | undefined
  let nextRetryMs = retryMs
  let isClosed = false

  /** So it is known that the storage is back, and the object is there, before anybody asks. */
  const retryLater = (object: ObjectEntry) => {
    if (retry !== undefined || isClosed) return
    const again = () => {
      retry = undefined
      // A failure comes back here.
      fetchKept(object).catch(() => undefined)
    }
    retry = setTimeout(again, nextRetryMs).unref()
    nextRetryMs = Math.min(nextRetryMs * 2, LONGEST_RETRY_MS)
  }
  const endRetries = () => {
    clearTimeout(retry)
    retry = undefined
    nextRetryMs = retryMs
  }

  async function load(object: ObjectEntry): Promise<Uint8Array> {
    return (await cache.load(object)) ?? fetchKept(object)
  }

  async function fetchKept(object: ObjectEntry): Promise<Uint8Array> {
    const bytes = await fetchReported(object)
    await cache.keep(object, bytes)
    return bytes
  }

  async function fetchReported(object: ObjectEntry): Promise<Uint8Array> {
    const began = performance.now()
    const bytes = await fetchRepeated(store, object, idleMs).catch((cause: unknown) => {
      const problem = storageAway(store.name, cause)
      observe({ kind: 'object-fetch-failed', reason: problem.message })
      retryLater(object)
      throw problem
    })
    endRetries()
    const milliseconds = performance.now() - began
    observe({ kind: 'object-fetched', bytes: object.bytes, milliseconds })
    if (bytes === null) throw objectMissing(`${store.name}/${object.key}`)
    return bytes
  }

  return {
    load,
    path: async (object) => {
      await load(object)
      return cache.pathOf(object)
    },
    close: () => {
      isClosed = true
      endRetries()
    },
  }
}

async function fetchRepeated(
  store: ObjectStore,
  object: ObjectEntry,
  idleMs: number,
): Promise<Uint8Array | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchVerified(store, object, idleMs)
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof BadContent)) throw error
    }
  }
}

/** The object arrived otherwise than it was stored. */
class BadContent extends Error {}

const fetchVerified = (store: ObjectStore, object: ObjectEntry, idleMs: number): Promise<Uint8Array | null> =>
  fetchInTime(store, object, (body, onChunk) => readVerified(body, object, onChunk), idleMs)

/**
 * Reads an object while it arrives in time.
 *
 * @param read calls `onChunk` for all that arrives
 * @returns null when it is not there
 */
export async function fetchInTime<T>(
  store: ObjectStore,
  { key, bytes }: Pick<ObjectEntry, 'key' | 'bytes'>,
  read: (body: Readable, onChunk: () => void) => Promise<T>,
  idleMs = IDLE_MS,
): Promise<T | null> {
  const late = new AbortController()
  const idle = setTimeout(() => late.abort(new Error(`nothing arrived for ${idleMs} ms`)), idleMs)
  const mostMs = Math.ceil(4 * idleMs + bytes / LEAST_BYTES_PER_MS)
  const slow = setTimeout(() => late.abort(new Error(`it did not arrive within ${mostMs} ms`)), mostMs)
  try {
    const body = await store.get(key, late.signal)
    return body === null ? null : await read(addAbortSignal(late.signal, body), () => idle.refresh())
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(idle)
    clearTimeout(slow)
  }
}

async function readVerified(
  body: Readable,
  { bytes: size, sha256 }: ObjectEntry,
  onChunk: () => void,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(new SharedArrayBuffer(size))
  const hash = createHash('sha256')
  let arrived = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      onChunk()
      if (arrived + chunk.byteLength > size) throw new BadContent(`it has more than ${size} bytes`)
      bytes.set(chunk, arrived)
      hash.update(chunk)
      arrived += chunk.byteLength
    }
  } catch (cause) {
    if (cause instanceof BadContent) throw cause
    throw new BadContent(`the answer broke off after ${arrived} of ${size} bytes`, { cause })
  } finally {
    body.destroy()
  }
  if (arrived !== size) throw new BadContent(`the answer ended after ${arrived} of ${size} bytes`)
  if (hash.digest('hex') !== sha256) throw new BadContent('its checksum does not match')
  return bytes
}
