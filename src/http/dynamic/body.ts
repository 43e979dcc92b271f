/**
 * Reads the body of a call of a dynamic endpoint. Refuses a body that is too long, compressed, or does not fit into the memory
 * that all bodies of a thread may take together.
 */
import type { IncomingMessage } from 'node:http'
import { faultOfForm } from '../../kernel/addresses/form-encoding.ts'
import { malformedRequest } from '../problems.ts'
import { compressedBody, endpointBodyTooLarge, tooManyBodies, unsupportedCharset } from './problems.ts'

/** Counts the bytes of bodies that a thread holds, from their arrival to their answer. */
export class BodyRoom {
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#mostBytes) return false
    this.#bytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * A body that is too long by at most this is read to its end and discarded: the caller then sees why, and the connection can
 * be used again. After a longer body, or one that waits for 100-continue, the connection is closed.
 */
const MOST_IGNORED_BYTES = 4 * 2 ** 20

/** @throws Problem SRV124 when the announced length is too long to begin reading */
export function refuseTooLong({ headers }: IncomingMessage, maxBytes: number): void {
  const isAsking = headers.expect !== undefined
  const most = maxBytes + (isAsking ? 0 : MOST_IGNORED_BYTES)
  if (Number(headers['content-length'] ?? 0) > most) throw endpointBodyTooLarge(maxBytes)
}

/**
 * @param room the returned bytes are taken from it, and the calling code releases them
 * @throws Problem SRV124, SRV127, or SRV105 when the connection ends in the middle
 */
export async function readBody(request: IncomingMessage, maxBytes: number, room: BodyRoom): Promise<Buffer> {
  const kept = new GrowingBytes(room)
  try {
    const length = await eachChunk(request, maxBytes + MOST_IGNORED_BYTES, (chunk, end) => {
      if (end <= maxBytes) kept.add(chunk)
    })
    if (length > maxBytes) throw endpointBodyTooLarge(maxBytes)
    return kept.bytes()
  } catch (refusal) {
    room.release(kept.length)
    throw refusal
  }
}

/** Reads and discards a body that is not used, so that the connection can serve the next request. */
export async function ignoreBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  const length = await eachChunk(request, maxBytes + MOST_IGNORED_BYTES, () => undefined)
  if (length > maxBytes) throw endpointBodyTooLarge(maxBytes)
}

/** @returns the length of the body; reading stops as soon as it exceeds the limit */
async function eachChunk(
  request: IncomingMessage,
  mostBytes: number,
  take: (chunk: Buffer, end: number) => void,
): Promise<number> {
  let length = 0
  try {
    // The default iterator would destroy the connection when the loop ends early, and the answer with it.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length
      if (length > mostBytes) return length
      take(chunk as Buffer, length)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') {
      throw malformedRequest('the body ends early')
    }
    throw error
  }
  return length
}

/** Joins the chunks by copying them: many small chunks would take many times the memory of their content. */
class GrowingBytes {
  readonly #room: BodyRoom
  #buffer = Buffer.alloc(0)
  #length = 0

  constructor(room: BodyRoom) {
    this.#room = room
  }

  get length(): number {
    return this.#length
  }

  add(chunk: Buffer): void {
    if (!this.#room.take(chunk.length)) throw tooManyBodies()
    const end = this.#length + chunk.length
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, this.#buffer.length * 2))
      this.#buffer.copy(grown, 0, 0, this.#length)
      this.#buffer = grown
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = end
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}

/** @throws Problem SRV125, SRV126 for a charset or content coding that is not supported */
export function refuseUnreadable({ headers }: IncomingMessage, contentType: string | undefined): void {
  const coding = headers['content-encoding']?.trim() ?? ''
  if (coding !== '' && !/^identity$/i.test(coding)) throw compressedBody(coding)
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) throw unsupportedCharset(charset)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text as it was sent: a byte order mark stays, because senders sign it too.
 *
 * @throws Problem SRV105 for bytes that are not UTF-8, also where a form has them percent-encoded
 */
export function decodeBody(bytes: Buffer, kind: 'json' | 'form' | 'text'): string {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw malformedRequest('the body is not valid UTF-8')
  }
  const fault = kind === 'form' ? faultOfForm(text) : null
  if (fault !== null) throw malformedRequest(`in the form of its body, ${fault}`)
  return text
}

/** How a body of this media type is parsed; a body without a type is text. */
export function bodyKind(contentType: string | undefined): 'json' | 'form' | 'text' {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json' || /^[^\s/]+\/[^\s/]+\+json$/.test(type)) return 'json'
  return type === 'application/x-www-form-urlencoded' ? 'form' : 'text'
}
