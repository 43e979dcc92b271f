/**
 * Turns what a script leaves in `Data` into the response (design 8.4): `_payload` or `_binary`, `_statusCode`, `_redirect`,
 * `_contentType`, `_headers`. Refuses what cannot be sent, and names the member and what was expected.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import { type Limits, limitReached, runCancelled, ScriptFailure } from '../../script/problems.ts'
import { kindOf, numberToText, ScriptObject, type Value, writeJsonInSlices } from '../../script/values.ts'
import { badAnswer } from '../problems.ts'
import type { ScriptResponse } from '../runs/run-states.ts'
import { readBinary } from './binary-body.ts'
import { readHeaders, shown } from './response-headers.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export type Writing = {
  readonly limits: Limits
  /** When the time of the run is over, as a value of `performance.now()`. */
  readonly deadline: number
  readonly cancellation: Cancellation | undefined
  /** The endpoint that runs: endpoints take turns on the thread. */
  readonly owner?: string
  /** Adds up how long the writing waited for turns of the thread. */
  readonly waited?: { milliseconds: number }
}

/**
 * @throws Problem END12x for members that a response cannot be made of
 * @throws ScriptFailure for a payload that JSON cannot express or that is over the limit; and when the time of the run ends
 */
export async function readResponse(data: Value, writing: Writing): Promise<ScriptResponse> {
  const member = (name: string): Value => (data instanceof ScriptObject ? data.get(name) : null)
  const status = readStatus(member('_statusCode'))
  const isRedirect = status !== null && status >= 300 && status < 400
  const headers = withCheckedLocation(readHeaders(member('_headers')), isRedirect)
  const location = readRedirect(member('_redirect'), 'Data._redirect')
  const binary = member('_binary')
  const contentType = readContentType(member('_contentType'), binary !== null)
  if (location !== null) {
    return { status: isRedirect ? status : 302, headers: { ...headers, location }, body: null }
  }
  if (status !== null && withoutBody.has(status)) return { status, headers, body: null }
  if (binary !== null) {
    if (member('_payload') !== null) throw badAnswer('Data._payload', 'null beside Data._binary', 'a value')
    return {
      status: status ?? 200,
      headers: { ...headers, 'content-type': contentType?.sent ?? 'application/octet-stream' },
      body: readBinary(binary, writing.limits),
      bodyEncoding: 'base64',
    }
  }
  return {
    status: status ?? 200,
    headers: { ...headers, 'content-type': contentType?.sent ?? JSON_TYPE },
    body: await bodyOf(member('_payload'), contentType, writing),
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

/** A backslash is a slash to browsers: `/\\host` would lead to another host, as `//host` does. */
const PATH = /^\/(?![/\\])[^\\]*$/
const WEB_ADDRESS = /^https?:\/\/[^/?#\\][^\\]*$/i

/**
 * Takes a path of this service or an address of the web; refuses what a browser would run (`javascript:`), open or guess.
 * Characters that an address cannot hold are percent-encoded.
 */
function readRedirect(value: Value, from: string): string | null {
  // The member is optional (specification 4.3); an empty text counts as absent.
  if (value === null || value === '') return null
  const refused = (expected: string, found: string) => badAnswer(from, expected, found)
  const expected = `an address of 1 to ${MOST_LOCATION_UNITS} characters without control characters`
  if (typeof value !== 'string') throw refused(expected, kindOf(value))
  if (value.length > MOST_LOCATION_UNITS) throw refused(expected, `one of ${value.length}`)
  if (/\p{Cc}/u.test(value)) throw refused(expected, 'control characters')
  if (!PATH.test(value) && !(WEB_ADDRESS.test(value) && URL.canParse(value))) {
    // A text that is cut may end within a secret, which nobody finds then.
    const [beginning = ''] = value.split(/[?#]/)
    throw refused("a path that begins with one '/', or an address of http: or https:", shown(beginning))
  }
  const address = PATH.test(value) ? null : URL.parse(value)
  // Only ASCII names are hosts to every client.
  const text = address !== null && HAS_OTHER_HOST.test(value) ? address.href : value
  return text.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent)
}

/** Browsers follow the header of a redirect, whichever member it comes from. */
function withCheckedLocation(
  headers: Readonly<Record<string, string>>,
  isRedirect: boolean,
): Readonly<Record<string, string>> {
  if (!isRedirect || headers.location === undefined) return headers
  const location = readRedirect(headers.location, "Data._headers['location']")
  return location === null ? headers : { ...headers, location }
}

/** A host that is not only ASCII. */
const HAS_OTHER_HOST = /^https?:\/\/[^/?#]*[^!-~]/i

type ContentType = {
  /** The value of the header. */
  readonly sent: string
  /** Whether it is `application/json`: texts are then written as JSON, and sent as they are under any other type. */
  readonly isPlainJson: boolean
}

/** A media type with parameters (RFC 9110, 8.3.1). */
const MEDIA_TYPE =
  /^([!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+)((?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9a-z-]+=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"[ !#-[\]-~]*"))*)$/i
const CHARSET = /;[ \t]*charset=("?)([^";]*)\1/i

/** @param isBinary the script chose the bytes, so it may name any charset, and none is added */
function readContentType(value: Value, isBinary: boolean): ContentType | null {
  if (value === null) return null
  const expected = 'a media type such as text/csv'
  if (typeof value !== 'string') throw badAnswer('Data._contentType', expected, kindOf(value))
  const [, type, parameters] = (value.length <= 200 && MEDIA_TYPE.exec(value.trim())) || []
  if (type === undefined || parameters === undefined) {
    throw badAnswer('Data._contentType', expected, shown(value))
  }
  const charset = CHARSET.exec(parameters)?.[2]
  if (!isBinary && charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw badAnswer('Data._contentType', 'charset=utf-8, or none,', shown(charset))
  }
  const isPlainJson = type.toLowerCase() === 'application/json'
  // Without a charset, clients may decode the text as something other than UTF-8.
  const isText = isPlainJson || /^text\//i.test(type)
  const sent =
    charset === undefined && isText && !isBinary
      ? `${type}${parameters}; charset=utf-8`
      : `${type}${parameters}`
  return { sent, isPlainJson }
}

/** A text with a content type other than JSON is sent as it is. */
async function bodyOf(payload: Value, contentType: ContentType | null, writing: Writing): Promise<string> {
  const { limits } = writing
  if (typeof payload === 'string' && contentType !== null && !contentType.isPlainJson) {
    if (Buffer.byteLength(payload) > limits.outputBytes) throw limitReached('outputBytes', limits)
    return payload.toWellFormed()
  }
  const work = () => checkTime(writing)
  try {
    return await writeJsonInSlices(
      payload,
      { work, mostBytes: limits.outputBytes, escapes: 'plain' },
      slices(writing),
    )
  } catch (cause) {
    if (cause instanceof ScriptFailure && cause.limit === 'outputBytes') {
      throw limitReached('outputBytes', limits)
    }
    throw cause
  }
}

function checkTime({ limits, deadline, cancellation }: Writing): void {
  if (performance.now() > deadline) throw limitReached('milliseconds', limits)
  if (cancellation?.aborted) throw runCancelled()
}

/** Lets other runs have a turn whenever this one has held the thread for long. */
function slices({ owner, waited }: Writing): () => Promise<void> | undefined {
  let began = performance.now()
  const goOn = () => {
    const now = performance.now()
    if (waited !== undefined) waited.milliseconds += now - began
    began = now
  }
  return () => {
    heldSince(began, owner)
    began = performance.now()
    return isTurnDue(owner) ? turn(owner).then(goOn) : undefined
  }
}
