/**
 * Chooses the representation of an answer for a request: format, content coding, and an entity tag of its own (RFC 9110,
 * section 8.8.3: different bytes never share a strong tag). Refuses a format that is not available.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { isStillGood, isUnmodifiedSince } from '../lists/preconditions.ts'
import { acceptedFormat } from '../lists/record-formats.ts'
import { notAcceptable } from '../problems.ts'
import { type AcceptedCoding, acceptedCoding, type Coding } from './content-codings.ts'

export type Representation = AcceptedCoding & {
  readonly format: RecordFormat
  /** Tag of the compressed body. */
  readonly etag: string
  /** Tag of the uncompressed body. */
  readonly plainEtag: string
}

/** @throws Problem SRV115 when neither the query nor the headers name an available format */
export function representationOf(
  { accept, 'accept-encoding': acceptEncoding }: IncomingHttpHeaders,
  answer: Answer,
): Representation {
  const format = answer.format ?? acceptedFormat(accept)
  if (format === null) throw notAcceptable()
  const { coding, orPlain } = acceptedCoding(acceptEncoding)
  const plainEtag = format === 'json' ? answer.etag : suffixed(answer.etag, format)
  const etag = coding === null ? plainEtag : suffixed(plainEtag, coding)
  return { format, coding, orPlain, etag, plainEtag }
}

const suffixed = (etag: string, suffix: RecordFormat | Coding): string => `${etag.slice(0, -1)}-${suffix}"`

/**
 * The tag of the caller's copy, if it is still good. An uncompressed copy is as good as a compressed one when the caller
 * accepts both: small bodies are never compressed.
 */
export function goodCopy(
  { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince }: IncomingHttpHeaders,
  { etag, plainEtag, orPlain }: Representation,
  answer: Answer,
): string | null {
  if (ifNoneMatch !== undefined) {
    if (isStillGood(ifNoneMatch, etag)) return etag
    return orPlain && isStillGood(ifNoneMatch, plainEtag) ? plainEtag : null
  }
  return ifModifiedSince !== undefined && isUnmodifiedSince(ifModifiedSince, answer) ? etag : null
}
