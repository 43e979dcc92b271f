/**
 * Which representation of an answer a request gets: its format, its content coding, and the entity tag that is this
 * representation's own (RFC 9110, section 8.8.3: different bytes never share a strong tag). A format that cannot be given
 * is refused.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { isStillGood } from '../lists/preconditions.ts'
import { acceptedFormat } from '../lists/record-formats.ts'
import { notAcceptable } from '../problems.ts'
import { type AcceptedCoding, acceptedCoding, type Coding } from './content-codings.ts'

export type Representation = AcceptedCoding & {
  readonly format: RecordFormat
  /** As it is sent when it is coded. */
  readonly etag: string
  /** Uncoded. */
  readonly plainEtag: string
}

/** @throws Problem SRV115 when neither the query nor the headers name a format that there is */
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
 * The tag of the caller's copy, if it is still good. A copy that was sent uncoded is as good as a coded one wherever the
 * caller takes both: small bodies are never coded.
 */
export function goodCopy(
  ifNoneMatch: string | undefined,
  { etag, plainEtag, orPlain }: Representation,
): string | null {
  if (ifNoneMatch === undefined) return null
  if (isStillGood(ifNoneMatch, etag)) return etag
  return orPlain && isStillGood(ifNoneMatch, plainEtag) ? plainEtag : null
}
