/**
 * Finishes a body of known length so that it can be sent more than once: compresses it when that was requested and pays, and
 * adds the headers that depend only on the body.
 */
import type { BodyPart, PlainBody } from '../lists/answer-body.ts'
import { type PagedPart, partLinks } from '../lists/page-links.ts'
import { mediaTypes } from '../lists/record-formats.ts'
import { type Coding, codeBuffered } from './content-codings.ts'
import type { Representation } from './representation.ts'

export type BufferedBody = {
  readonly parts: readonly BodyPart[]
  readonly byteLength: number
  /** Records that match, before paging. */
  readonly total: number
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** The links of the part for the last query text: texts that mean the same share the body, but not the links. */
  links: { readonly query: string; readonly text: string } | null
}

/** Smaller bodies take one or two packets, compressed or not. */
const LEAST_CODED_BYTES = 1024

/** A promise only when the body has to be compressed. */
export function finishBody(
  chosen: Representation,
  total: number,
  { parts, byteLength }: PlainBody,
): BufferedBody | Promise<BufferedBody> {
  const { coding, orPlain } = chosen
  const finished = (sent: readonly BodyPart[], length: number, sentCoding: Coding | null): BufferedBody => {
    const headers = representationHeaders(chosen, sentCoding, total)
    headers.push('content-length', String(length))
    return { parts: sent, byteLength: length, total, headers, links: null }
  }
  if (coding === null || (orPlain && byteLength < LEAST_CODED_BYTES)) return finished(parts, byteLength, null)
  return codeBuffered(coding, joined(parts)).then((bytes) => finished([bytes], bytes.byteLength, coding))
}

/** The links of the part, which a body that is sent again keeps. */
export function linksOf(body: BufferedBody, query: string, part: PagedPart): string {
  if (body.links?.query !== query) body.links = { query, text: partLinks(query, part, body.total) }
  return body.links.text
}

/** The headers of a body of any length. Formats without an envelope have the total here. */
export function representationHeaders(
  { format, etag, plainEtag }: Representation,
  coding: Coding | null,
  total: number,
): string[] {
  const { contentType } = mediaTypes[format]
  const headers = ['etag', coding === null ? plainEtag : etag, 'content-type', contentType]
  if (coding !== null) headers.push('content-encoding', coding)
  if (format !== 'json') headers.push('x-total-count', String(total))
  return headers
}

export const joined = (parts: readonly BodyPart[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
