/**
 * Decides to which addresses the service sends requests that others ask for (webhooks): by https to public addresses only,
 * unless the operator trusts the host. Names are resolved once, when the connection opens, and the connection is made to
 * exactly the addresses that were checked: a name that resolves otherwise a moment later changes nothing.
 */
import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { badTargetUrl, privateTarget } from './problems.ts'
import { hasAddress, isPublicAddress, networks } from './public-address.ts'

export type TargetRules = {
  /** Whether requests to the host may go by http, and to addresses that are not public. */
  readonly isTrusted: (host: string) => boolean
  /** Whether an address that is not public is allowed nevertheless. */
  readonly isTrustedAddress: (address: string) => boolean
}

/** @param trusted host names, addresses and networks, with commas between them */
export function targetRules(trusted: string | undefined): TargetRules {
  const entries = (trusted ?? '').split(',').flatMap((entry) => entry.trim().toLowerCase() || [])
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] as string) !== 0
  const addresses = networks(entries.filter(isNetwork))
  const names = new Set(entries.filter((entry) => !isNetwork(entry)))
  const isTrustedAddress = (address: string) => isIP(address) !== 0 && hasAddress(addresses, address)
  return { isTrusted: (host) => names.has(host) || isTrustedAddress(host), isTrustedAddress }
}

const LONGEST_URL = 2000

/**
 * Reads a URL that a person gave. The parser of URLs turns every spelling of an address (decimal, octal, hexadecimal, short)
 * into its usual form, so the check sees what the connection would use.
 *
 * @throws Problem OUT101 for a URL that requests cannot be sent to, OUT102 for an address that is not public
 */
export function readTarget(text: string, rules: TargetRules): URL {
  const url = text.length > LONGEST_URL ? null : URL.parse(text)
  if (url === null) throw badTargetUrl(text, `a URL of at most ${LONGEST_URL} characters`)
  // The parser drops them: the text would name another target than the one that is used, or upset a terminal.
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text)) throw badTargetUrl(text, 'a URL without control characters')
  const host = hostOf(url)
  if (url.username !== '' || url.password !== '') throw badTargetUrl(text, 'a URL without user and password')
  if (url.hash !== '') throw badTargetUrl(text, 'a URL without a part after #')
  const isTrusted = rules.isTrusted(host)
  if (url.protocol !== 'https:' && !(isTrusted && url.protocol === 'http:')) {
    throw badTargetUrl(text, 'a URL that begins with https://')
  }
  if (isIP(host) !== 0 && !isTrusted && !isPublicAddress(host)) throw privateTarget(host)
  return url
}

/** The name or address without the brackets of IPv6, and without the dot that may end a name. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/**
 * Resolves a name for a connection, and refuses it when any of its addresses is not public: no part of a mixed answer is
 * used.
 *
 * @param resolveName the resolver of the system unless given
 */
export const checkedLookup =
  (rules: TargetRules, resolveName: typeof resolve = resolve): LookupFunction =>
  (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const host = name.replace(/\.$/, '').toLowerCase()
      const isAllowed = (address: string) =>
        isPublicAddress(address) || rules.isTrusted(host) || rules.isTrustedAddress(address)
      if (!addresses.every(({ address }) => isAllowed(address))) return done(privateTarget(host), [])
      const [first] = addresses
      if (options.all === true || first === undefined) return done(null, addresses)
      return done(null, first.address, first.family)
    })
  }
