/**
 * Which addresses belong to the public internet. Everything that the IANA registries of special-purpose addresses name is not
 * public: private, loopback, link-local (where clouds answer for metadata), shared, documentation, multicast, reserved
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry).
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/** IPv6 gives out addresses of this network only (RFC 4291, section 2.4, and the registry of unicast assignments). */
const GLOBAL_V6 = '2000::/3'
/** Protocols, among them Teredo; documentation; 6to4, which carries an IPv4 address that is not checked. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const

/** Networks such as `10.0.0.0/8` and single addresses. */
export function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether the networks have the address. An IPv4 address that is written as IPv6 counts as IPv4. */
export const hasAddress = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

const specialV4 = networks(SPECIAL_V4)
const specialV6 = networks(SPECIAL_V6)
const globalV6 = networks([GLOBAL_V6])

/** @param address an IP address without brackets; anything else is not public */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !hasAddress(specialV4, address)
  // `::ffff:192.0.2.1` is not in the global network. Whoever means an IPv4 address can write it as one.
  return isIPv6(address) && hasAddress(globalV6, address) && !hasAddress(specialV6, address)
}
