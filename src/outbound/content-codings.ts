/**
 * Undoes the content codings of an answer (RFC 9110, section 8.4), which some servers apply unasked. The limit counts the bytes
 * that come out: a small answer may grow a thousandfold.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'

type Decoded =
  | { readonly kind: 'decoded'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  /** What is wrong with the coding completes "HOST answered with the content coding 'x', which ...". */
  | { readonly kind: 'unreadable'; readonly coding: string; readonly fault: string }

/** @param header the value of `Content-Encoding` */
export async function decodedBody(header: string, body: Buffer, mostBytes: number): Promise<Decoded> {
  const codings = codingsOf(header)
  // The answer to a HEAD names the coding of a body that it does not have.
  if (body.length === 0) return { kind: 'decoded', body }
  if (codings.length > MOST_CODINGS) {
    return { kind: 'unreadable', coding: header, fault: `names more than ${MOST_CODINGS} of them` }
  }
  let decoded = body
  for (const coding of codings.toReversed()) {
    const decode = decoders.get(coding)
    if (decode === undefined) return { kind: 'unreadable', coding, fault: 'is not known here' }
    try {
      decoded = await decode(decoded, { maxOutputLength: Math.max(1, mostBytes) })
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' }
      return { kind: 'unreadable', coding, fault: `does not fit its bytes: ${message}` }
    }
  }
  return { kind: 'decoded', body: decoded }
}

/** Each coding is work that the other system chooses; nobody applies more than two. */
const MOST_CODINGS = 4

/** In the order in which they were applied. */
const codingsOf = (header: string): readonly string[] =>
  header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const gzip: Decode = promisify(gunzip)
const whole = { rejectGarbageAfterEnd: true }

const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', deflate],
  ['br', (body, options) => promisify(brotliDecompress)(body, { ...options, ...whole })],
  ['zstd', zstd],
])

/** Some servers leave out the header that RFC 1950 asks for; its first byte tells. */
function deflate(body: Buffer, options: Parameters<Decode>[1]): Promise<Buffer> {
  const hasHeader = (body[0]! & 0x0f) === 8
  return promisify(hasHeader ? inflate : inflateRaw)(body, { ...options, ...whole })
}

/** Node reads only the first of several frames (RFC 8878, section 3.1). */
async function zstd(body: Buffer, { maxOutputLength }: Parameters<Decode>[1]): Promise<Buffer> {
  const frames: Buffer[] = []
  let left = maxOutputLength
  for (let at = 0; at < body.length; ) {
    const options = { maxOutputLength: Math.max(1, left), info: true }
    const { buffer, engine } = (await promisify(zstdDecompress)(body.subarray(at), options)) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    frames.push(buffer)
    left -= buffer.length
    at += engine.bytesWritten
  }
  return Buffer.concat(frames)
}
