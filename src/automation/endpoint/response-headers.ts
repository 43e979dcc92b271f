/**
 * Reads the headers that a script sets in `Data._headers`, and puts their names in lower case. Refuses malformed names and
 * values, and headers that belong to the connection, to the service or to the security of browsers.
 */

import { kindOf, numberToText, ScriptObject, type Value } from '../../script/values.ts'
import { badAnswer, headerNotAllowed } from '../problems.ts'

const MEMBER = 'Data._headers'
const MOST_HEADERS = 50
/** The length of all names and values together. Many clients and proxies refuse about twice as much. */
const MOST_UNITS = 8192

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const VALUE = /^[\t -~]*$/

/** @throws Problem END120, END121 */
export function readHeaders(value: Value): Record<string, string> {
  if (value === null) return {}
  if (!(value instanceof ScriptObject)) throw badAnswer(MEMBER, 'an object of texts', kindOf(value))
  const headers = new Map<string, string>()
  let units = 0
  for (const [given, member] of value.entries()) {
    // A script can leave a header out by setting it to null.
    if (member === null) continue
    const name = nameOf(given)
    const text = textOf(given, member)
    if (headers.has(name)) throw headerNotAllowed(name, 'it is given twice, in different letter case')
    headers.set(name, text)
    units += name.length + text.length
    if (headers.size > MOST_HEADERS || units > MOST_UNITS) throw tooMany()
  }
  return Object.fromEntries(headers)
}

const tooMany = () =>
  badAnswer(MEMBER, `at most ${MOST_HEADERS} headers of ${MOST_UNITS} characters in all`, 'more')

function nameOf(given: string): string {
  if (!NAME.test(given)) throw badAnswer(MEMBER, 'names of headers', shown(given))
  const name = given.toLowerCase()
  const reason = refused.get(name) ?? refusedFamilies.find(([start]) => name.startsWith(start))?.[1]
  if (reason !== undefined) throw headerNotAllowed(name, reason)
  return name
}

function textOf(name: string, value: Value): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return numberToText(value)
  if (typeof value !== 'string') throw badAnswer(`${MEMBER}['${name}']`, 'a text', kindOf(value))
  // Spaces around a value are not part of it.
  const text = value.replace(/^[ \t]+/, '').trimEnd()
  if (!VALUE.test(text)) throw badAnswer(`${MEMBER}['${name}']`, 'printable ASCII', 'other characters')
  return text
}

export const shown = (text: string): string =>
  `'${text.slice(0, 80).replaceAll(/[^ -~]/g, '�')}${text.length > 80 ? '…' : ''}'`

const CONNECTION = 'it belongs to the connection, not to the response'
const SERVICE = 'the service sets it'
const SECURITY = 'it changes how browsers protect other pages of the same host'
const PROXY = 'a proxy in front of the service would send another response'
const REDIRECT = 'a redirect is set in Data._redirect'
const CONTENT = 'the content type is set in Data._contentType'

const refused: ReadonlyMap<string, string> = new Map([
  // RFC 9110, 7.6.1
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authentication-info',
    'proxy-authorization',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ].map((name) => [name, CONNECTION] as const),
  ...['content-encoding', 'content-length', 'date', 'server', 'x-execution-id', 'x-request-id'].map(
    (name) => [name, SERVICE] as const,
  ),
  ...[
    'alt-svc',
    'clear-site-data',
    'expect-ct',
    'nel',
    'origin-agent-cluster',
    'permissions-policy',
    'public-key-pins',
    'public-key-pins-report-only',
    'referrer-policy',
    'report-to',
    'reporting-endpoints',
    'service-worker-allowed',
    'set-cookie',
    'set-cookie2',
    'strict-transport-security',
    'timing-allow-origin',
    'x-content-type-options',
    'x-frame-options',
    'x-permitted-cross-domain-policies',
    'x-xss-protection',
  ].map((name) => [name, SECURITY] as const),
  ...['x-sendfile', 'x-lighttpd-send-file', 'x-lighttpd-sendfile', 'x-reproxy-url', 'x-reproxy-file'].map(
    (name) => [name, PROXY] as const,
  ),
  ['content-type', CONTENT],
  ['refresh', REDIRECT],
])

const refusedFamilies: readonly (readonly [start: string, reason: string])[] = [
  ['access-control-', SECURITY],
  ['content-security-policy', SECURITY],
  ['cross-origin-', SECURITY],
  ['x-accel-', PROXY],
]
