/** Addresses and ranges of addresses (CIDR), as operators write them: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** The name of the format in shapes. Whoever checks values against shapes registers it. */
export const ADDRESS_RANGE = 'address-range'

export const isAddressRange = (text: string): boolean => parsedRange(text) !== null

type Range = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' }

function parsedRange(text: string): Range | null {
  const [, address = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : null
  if (family === null) return null
  const most = family === 'ipv4' ? 32 : 128
  const bits = prefix === undefined ? most : Number(prefix)
  return bits > most ? null : { address, bits, family }
}

/** @returns whether an address is in one of the ranges; false for text that is no address */
export function addressFilter(ranges: readonly string[]): (address: string | undefined) => boolean {
  const allowed = new BlockList()
  for (const text of ranges) {
    const range = parsedRange(text)
    if (range !== null) allowed.addSubnet(range.address, range.bits, range.family)
  }
  return (address = '') =>
    isIPv4(address) ? allowed.check(address, 'ipv4') : isIPv6(address) && allowed.check(address, 'ipv6')
}
