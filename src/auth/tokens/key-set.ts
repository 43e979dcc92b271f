/**
 * The text of a JWKS (RFC 7517) enters, the lookup of the one key in it that a token asks for leaves. Refuses text that is
 * none. A key that cannot be used is found out when a token asks for it: the others are good all the same.
 */
import type { JWTVerifyGetKey } from 'jose'
import { keysUnavailable } from '../problems.ts'

/** Loaded with the first token: most callers never send one. */
export type Jose = typeof import('jose')

/** @param where what holds the keys, for problems */
export function tokenKeySet(
  { createLocalJWKSet, errors }: Jose,
  json: string,
  where: string,
): JWTVerifyGetKey {
  const lookup = createLocalJWKSet(parse(json))
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

/** The message of JSON.parse quotes the text, which may be a secret in the wrong place. */
function parse(json: string) {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    throw new Error('it is no JSON')
  }
}
