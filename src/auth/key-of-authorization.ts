/**
 * Finds an API key in the text of an `Authorization` header: after `Bearer` (RFC 6750), or as the password of `Basic` (RFC 7617),
 * whatever the user name is. Many tools can send only these. Whether the key is valid is decided by authenticate.ts.
 */
import { API_KEY_LENGTH } from '../directory/accounts/api-key.ts'

/** Longer headers of `Basic` are not decoded: a user name needs no more. */
const LONGEST_HEADER = 1024

/** Undefined for another scheme, a token, or text that cannot be a key. */
export function keyOfAuthorization(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (bearerKey(header) ?? basicKey(header))
}

/** A key after `Bearer`, and nothing else, for a request that changes something. */
export function bearerKey(header: string | undefined): string | undefined {
  const key = /^Bearer +([^ ]+) *$/i.exec(header ?? '')?.[1]
  return key?.length === API_KEY_LENGTH ? key : undefined
}

function basicKey(header: string): string | undefined {
  if (header.length > LONGEST_HEADER) return undefined
  const credentials = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1]
  if (credentials === undefined) return undefined
  const text = Buffer.from(credentials, 'base64').toString('latin1')
  const colon = text.indexOf(':')
  const password = text.slice(colon + 1)
  return colon >= 0 && password.length === API_KEY_LENGTH ? password : undefined
}
