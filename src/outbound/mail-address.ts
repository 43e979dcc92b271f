/**
 * Addresses of mail: `ada@example.com` or `Ada Byrne <ada@example.com>`. Only plain ASCII addresses are accepted, which every
 * mail server takes; nothing in them can end a line or begin another address.
 */
import { badMailAddress } from './problems.ts'

export type MailAddress = { readonly name: string; readonly address: string }

const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const NAMED = /^([^<>\p{Cc}\p{Cf}\p{Cs}]{0,200})<([^<>]*)>$/u
/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3. */
const LONGEST_LOCAL_PART = 64
const LONGEST_ADDRESS = 254

/** @throws Problem OUT119 */
export function mailAddress(text: string): MailAddress {
  const trimmed = text.trim()
  const [, name = '', bare = trimmed] = NAMED.exec(trimmed) ?? []
  const address = bare.trim()
  const isAddress = address.length <= LONGEST_ADDRESS && address.indexOf('@') <= LONGEST_LOCAL_PART
  if (!isAddress || !ADDRESS.test(address)) {
    throw badMailAddress(text, 'an address such as ada@example.com or Ada Byrne <ada@example.com>')
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}

/**
 * @param domains with commas between them; `*.example.com` is every domain below it; undefined allows all
 * @throws Problem OUT119 for an address of another domain
 */
export function refuseOtherDomain({ address }: MailAddress, domains: string | undefined): void {
  if (domains === undefined) return
  const at = address.indexOf('@')
  const domain = address.slice(at + 1).toLowerCase()
  const isAllowed = domains.split(',').some((entry) => {
    const allowed = entry.trim().toLowerCase()
    return allowed.startsWith('*.') ? domain.endsWith(allowed.slice(1)) : domain === allowed
  })
  // Some servers read `ada%other.com@example.com` and `other.com!ada@example.com` as routes, and send the message on.
  const isRoute = /[%!]/.test(address.slice(0, at))
  if (!isAllowed || isRoute)
    throw badMailAddress(address, `an address of the domains in mailDomains (${domains})`)
}
