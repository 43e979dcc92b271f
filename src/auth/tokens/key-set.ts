/**
 * Turns the text of a JWKS (RFC 7517) into a lookup of the key for a token. Refuses text that is not a JWKS. An unusable key is
 * refused only when a token needs it, so the other keys keep working.
 */
import type { JWTVerifyGetKey } from 'jose'
import { keysUnavailable } from '../problems.ts'

/** Loaded with the first token, because most callers never send one. */
export type Jose = typeof import('jose')

/** @param where the file or address of the keys, for problems */
export function tokenKeySet(
  { createLocalJWKSet, errors }: Jose,
  json: string,
  where: string,
): JWTVerifyGetKey {
  const lookup = createLocalJWKSet(parseKeys(json))
  return async (header, token) => {
    try {
      return await lookup(header, token)
    } catch (error) {
      const none = error instanceof errors.JWKSNoMatchingKey
      if (none || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      throw keysUnavailable(where, error)
    }
  }
}

/** Replaces the message of JSON.parse, which quotes the text: the file may contain a secret by mistake. */
export function parseKeys(json: string) {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    throw new Error('it is not JSON')
  }
}
