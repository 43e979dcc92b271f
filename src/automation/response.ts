/**
 * What a script leaves in `Data` -> the response (design 8.4): `_payload`, `_statusCode`, `_redirect`, `_contentType`,
 * `_headers`. Refuses what cannot be sent, saying which member it is and what it has to be.
 */
import { ScriptFailure } from '../script/failure.ts'
import { type Limits, limitReached } from '../script/run/limits.ts'
import { writeJson } from '../script/values/json-write.ts'
import { kindOf } from '../script/values/kinds.ts'
import { numberToText } from '../script/values/number-text.ts'
import { ScriptObject, type Value } from '../script/values/value.ts'
import { readHeaders, shown } from './response-headers.ts'
import type { ScriptResponse } from './run-job.ts'
import { badAnswer } from './run-problems.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * @throws Problem END12x for members that make no response
 * @throws ScriptFailure for a payload that is no JSON, or longer than the limit
 */
export function readResponse(data: Value, limits: Limits): ScriptResponse {
  const member = (name: string): Value => (data instanceof ScriptObject ? data.get(name) : null)
  const status = readStatus(member('_statusCode'))
  const headers = readHeaders(member('_headers'))
  const location = readRedirect(member('_redirect'))
  const contentType = readContentType(member('_contentType'))
  if (location !== null) {
    const isRedirect = status !== null && status >= 300 && status < 400
    return { status: isRedirect ? status : 302, headers: { ...headers, location }, body: null }
  }
  if (status !== null && withoutBody.has(status)) return { status, headers, body: null }
  return {
    status: status ?? 200,
    headers: { ...headers, 'content-type': contentType?.sent ?? JSON_TYPE },
    body: bodyOf(member('_payload'), contentType, limits),
  }
}

/** RFC 9110, 15.3.5, 15.3.6 and 15.4.5. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

function readStatus(value: Value): number | null {
  if (value === null) return null
  if (typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599) return value
  const found = typeof value === 'number' ? numberToText(value) : kindOf(value)
  throw badAnswer('Data._statusCode', 'a whole number from 200 to 599', found)
}

const MOST_LOCATION_UNITS = 8192

/** Relative or absolute; what an address cannot hold as it is is percent-encoded. */
function readRedirect(value: Value): string | null {
  // Optional (specification 4.3): an empty one is none.
  if (value === null || value === '') return null
  const expected = `an address of 1 to ${MOST_LOCATION_UNITS} characters without control characters`
  if (typeof value !== 'string') throw badAnswer('Data._redirect', expected, kindOf(value))
  if (value.length > MOST_LOCATION_UNITS) {
    throw badAnswer('Data._redirect', expected, `one of ${value.length}`)
  }
  if (/\p{Cc}/u.test(value)) throw badAnswer('Data._redirect', expected, 'control characters')
  return value.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent)
}

type ContentType = {
  /** As it goes into the header. */
  readonly sent: string
  /** Of a text that is sent as it is. */
  readonly isPlainJson: boolean
}

/** A media type with parameters (RFC 9110, 8.3.1). */
const MEDIA_TYPE =
  /^([!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+)((?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9a-z-]+=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"[ !#-[\]-~]*"))*)$/i
const CHARSET = /;[ \t]*charset=("?)([^";]*)\1/i

function readContentType(value: Value): ContentType | null {
  if (value === null) return null
  const expected = 'a media type such as text/csv'
  if (typeof value !== 'string') throw badAnswer('Data._contentType', expected, kindOf(value))
  const [, type, parameters] = (value.length <= 200 && MEDIA_TYPE.exec(value.trim())) || []
  if (type === undefined || parameters === undefined) {
    throw badAnswer('Data._contentType', expected, shown(value))
  }
  const charset = CHARSET.exec(parameters)?.[2]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw badAnswer('Data._contentType', 'charset=utf-8, or none,', shown(charset))
  }
  const isPlainJson = type.toLowerCase() === 'application/json'
  // Readers take texts without a charset for something else.
  const isText = isPlainJson || /^text\//i.test(type)
  const sent =
    charset === undefined && isText ? `${type}${parameters}; charset=utf-8` : `${type}${parameters}`
  return { sent, isPlainJson }
}

/** A text under another content type than JSON is already written. */
function bodyOf(payload: Value, contentType: ContentType | null, limits: Limits): string {
  if (typeof payload === 'string' && contentType !== null && !contentType.isPlainJson) {
    if (Buffer.byteLength(payload) > limits.outputBytes) throw limitReached('outputBytes', limits)
    return payload.toWellFormed()
  }
  try {
    return writeJson(payload, {
      work: workWithin(limits),
      mostBytes: limits.outputBytes,
      escapes: 'plain',
    })
  } catch (cause) {
    if (cause instanceof ScriptFailure && cause.limit === 'outputBytes') {
      throw limitReached('outputBytes', limits)
    }
    throw cause
  }
}

/** The time of the run is over: what is left to do is bounded by what may be written, and by nothing that takes no room there. */
function workWithin(limits: Limits): (units: number) => void {
  let left = WORK_ANYWAY + WORK_PER_BYTE * limits.outputBytes
  return (units) => {
    left -= units
    if (left < 0) throw limitReached('milliseconds', limits)
  }
}

const WORK_ANYWAY = 1_000_000
const WORK_PER_BYTE = 10
