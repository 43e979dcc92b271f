/**
 * Headers of requests that scripts send. Names and values that could end the header, or begin another one, are refused; so are
 * headers that belong to the service.
 */
import { CALL_DEPTH_HEADER } from './call-depth.ts'
import { badRequestHeader } from './problems.ts'

/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** They say how the message is sent and where it comes from, which the service decides. */
const OF_SERVICE: ReadonlySet<string> = new Set([
  CALL_DEPTH_HEADER,
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * @returns the name in lower case and the value without spaces around it
 * @throws Problem OUT116, which never shows the value
 */
export function requestHeader(name: string, value: string): readonly [name: string, value: string] {
  if (!NAME.test(name)) throw badRequestHeader(name, 'is not the name of a header')
  const key = name.toLowerCase()
  if (OF_SERVICE.has(key)) throw badRequestHeader(key, 'is set by the service')
  if (!VALUE.test(value)) {
    throw badRequestHeader(key, 'has a value with a line end, or with characters that headers cannot have')
  }
  return [key, value.replace(/^[ \t]+|[ \t]+$/g, '')]
}
