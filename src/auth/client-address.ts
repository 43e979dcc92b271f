/**
 * Turns the text of an address into the name under which its failures are counted. Each IPv4 address has its own name, also
 * when it is written as IPv6; all IPv6 addresses of a /64 share one, because a customer usually gets a whole /64. Undefined for
 * text that is not an address.
 */
import { isIPv4, isIPv6 } from 'node:net'

export function addressGroup(text: string | undefined): string | undefined {
  const address = withoutPort(text ?? '')
  if (isIPv4(address)) return address
  return isIPv6(address) ? groupOfIPv6(address.toLowerCase()) : undefined
}

/** The address without a port, and IPv4 in its own form also when it is written as IPv6; undefined for other text. */
export function plainAddress(text = ''): string | undefined {
  // Every request asks.
  if (isIPv4(text)) return text
  const address = withoutPort(text)
  if (isIPv4(address)) return address
  return isIPv6(address) ? (mappedIPv4(address) ?? address) : undefined
}

const mappedIPv4 = (address: string): string | undefined => /^::ffff:([\d.]+)$/i.exec(address)?.[1]

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^\[([^\]]{2,64})\](?::\d{1,5})?$|^([\d.]{7,15}):\d{1,5}$/.exec(text) ?? []
  return v6 ?? v4 ?? text
}

function groupOfIPv6(address: string): string {
  const words = wordsOf(address.split('%', 1)[0] as string)
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff
  if (isMapped)
    return words
      .slice(6)
      .flatMap((word) => [word >> 8, word & 0xff])
      .join('.')
  const network = words.slice(0, 4).map((word) => word.toString(16))
  return `${network.join(':')}::/64`
}

/** The eight words of a valid address (RFC 4291, section 2.2). */
function wordsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::')
  const before = wordsOfPart(head)
  if (tail === undefined) return before
  const after = wordsOfPart(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** The words of `1:2`, or of a part with an IPv4 address at its end: `ffff:192.0.2.1`. */
function wordsOfPart(part: string): readonly number[] {
  if (part === '') return []
  return part.split(':').flatMap((word) => {
    if (!word.includes('.')) return [Number.parseInt(word, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = word.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
