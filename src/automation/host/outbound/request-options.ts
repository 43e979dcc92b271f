/** Reads the argument of `HttpRequest`. Refuses unknown members, and what cannot be sent; a wrong member never goes out. */
import { requestHeader } from '../../../outbound/request-headers.ts'
import { isRepeatable } from '../../../outbound/retries.ts'
import type { OutboundRequest } from '../../../outbound/send-request.ts'
import {
  type NativeContext,
  numberToText,
  ScriptObject,
  type Value,
  writeJson,
} from '../../../script/values.ts'
import { refusedArgument } from '../failures.ts'
import { optionsOf, wrongArgument } from '../host-arguments.ts'
import { notRepeatable } from './problems.ts'
import { JSON_WRITTEN_HERE } from './sample-sender.ts'
import { NAMES_SECRET } from './secret-names.ts'

export type HttpOptions = Pick<OutboundRequest, 'method' | 'url' | 'body'> & {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Values with names of secrets in braces, such as `Bearer {erp-token}`. */
  readonly secretHeaders: Readonly<Record<string, string>>
  /** Of one attempt. */
  readonly timeoutMs: number
  readonly retries: number
  readonly followRedirects: boolean
}

const NAME = 'HttpRequest'
const DEFAULT_TIMEOUT_MS = 10_000
const MOST_TIMEOUT_MS = 300_000
const MOST_RETRIES = 5
const MOST_HEADERS = 50

const methods: readonly OutboundRequest['method'][] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const members = [
  'method',
  'url',
  'headers',
  'body',
  'bodyBase64',
  'timeoutMs',
  'secretHeaders',
  'retries',
  'followRedirects',
]
const known: ReadonlySet<string> = new Set(members.map((name) => name.toLowerCase()))

/**
 * @throws ScriptFailure JM5104, JM5920 for an argument of another form
 * @throws Problem OUT116, END183
 */
export function httpOptions(context: NativeContext, argument: Value): HttpOptions {
  if (!(argument instanceof ScriptObject)) throw wrongArgument(NAME, 'an object', argument)
  const given = optionsOf(NAME, argument)
  for (const name of given.keys()) {
    if (!known.has(name)) {
      throw refusedArgument(`${NAME} has the members ${members.join(', ')}, but not '${name.slice(0, 40)}'`)
    }
  }
  const url = given.get('url')
  if (typeof url !== 'string') throw wrongArgument(NAME, 'a text as url', url ?? null)
  const method = methodOf(given.get('method'))
  const { body, contentType } = bodyOf(context, given)
  if (body !== null && (method === 'GET' || method === 'HEAD')) {
    throw refusedArgument(`${NAME} sends no body with ${method}`)
  }
  const written = headersOf('headers', given.get('headers'))
  const headers = contentType === null ? written : { 'content-type': contentType, ...written }
  const secretHeaders = headersOf('secretHeaders', given.get('secretheaders'))
  for (const [name, value] of Object.entries(secretHeaders)) {
    if (!NAMES_SECRET.test(value)) {
      throw refusedArgument(`${NAME}: secretHeaders.${name} expects the name of a secret in braces`)
    }
  }
  const retries = wholeNumber(given, 'retries', [0, MOST_RETRIES], 0)
  if (retries > 0 && !isRepeatable(method, headers)) throw notRepeatable(method)
  return {
    ...{ method, url, body, headers, secretHeaders, retries },
    timeoutMs: wholeNumber(given, 'timeoutMs', [1, MOST_TIMEOUT_MS], DEFAULT_TIMEOUT_MS),
    followRedirects: flag(given, 'followRedirects'),
  }
}

type Given = ReadonlyMap<string, Value>

function methodOf(value: Value | undefined): OutboundRequest['method'] {
  if (value === undefined || value === null) return 'GET'
  const wanted = typeof value === 'string' ? value.toUpperCase() : null
  const found = methods.find((method) => method === wanted)
  if (found === undefined) throw wrongArgument(NAME, `${methods.join(', ')} as method`, value)
  return found
}

type Body = { readonly body: OutboundRequest['body']; readonly contentType: string | null }

function bodyOf(context: NativeContext, given: Given): Body {
  const value = given.get('body') ?? null
  const encoded = given.get('bodybase64') ?? null
  if (value !== null && encoded !== null) throw refusedArgument(`${NAME} takes body or bodyBase64, not both`)
  if (encoded !== null) return { body: base64Bytes(encoded), contentType: 'application/octet-stream' }
  if (value === null) return { body: null, contentType: null }
  if (typeof value === 'string') return { body: value, contentType: 'text/plain; charset=utf-8' }
  const { work, allocate } = context
  return { body: writeJson(value, { work, allocate, escapes: 'plain' }), contentType: JSON_WRITTEN_HERE }
}

function base64Bytes(value: Value): Buffer {
  if (typeof value !== 'string') throw wrongArgument(NAME, 'a text as bodyBase64', value)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
    throw refusedArgument(`${NAME} expects base64 as bodyBase64`)
  }
  return Buffer.from(value, 'base64')
}

function headersOf(member: string, value: Value | undefined): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (!(value instanceof ScriptObject)) throw wrongArgument(NAME, `an object as ${member}`, value)
  const headers = new Map<string, string>()
  for (const [given, item] of value.entries()) {
    // A script can leave a header out by setting it to null.
    if (item === null) continue
    const text = typeof item === 'number' ? numberToText(item) : item
    if (typeof text !== 'string') throw wrongArgument(NAME, `texts as ${member}`, item)
    const [name, clean] = requestHeader(given, text)
    if (headers.has(name)) throw refusedArgument(`${NAME} has the header '${name}' twice in ${member}`)
    headers.set(name, clean)
    if (headers.size > MOST_HEADERS) throw refusedArgument(`${NAME} sends at most ${MOST_HEADERS} headers`)
  }
  return Object.fromEntries(headers)
}

function wholeNumber(
  given: Given,
  member: string,
  [least, most]: readonly [number, number],
  otherwise: number,
): number {
  const value = given.get(member.toLowerCase()) ?? otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw wrongArgument(NAME, `a whole number from ${least} to ${most} as ${member}`, value)
}

function flag(given: Given, member: string): boolean {
  const value = given.get(member.toLowerCase()) ?? false
  if (typeof value !== 'boolean') throw wrongArgument(NAME, `true or false as ${member}`, value)
  return value
}
