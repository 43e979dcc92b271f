/**
 * Checks signature, times, issuer and audience of a token and returns its claims. Refuses with errors of jose, or with a Problem
 * while the keys cannot be read. `claims.ts` finds the user.
 */
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { Jose } from './key-set.ts'
import { openTokenKeys } from './keys.ts'
import type { TokenRules } from './rules.ts'

export type TokenClaims = JWTPayload & { readonly exp: number }
export type ReadToken = (token: string) => Promise<TokenClaims>

/** Seconds by which the clock of the issuer may differ from the local one. */
const SKEW = 30

/** Most keys that are tried for a token that names no key, or a name that several keys have. */
const MOST_KEYS = 4

export function openTokenReader(jose: Jose, rules: TokenRules, now: () => number): ReadToken {
  const { errors, jwtVerify } = jose
  const keyOf = openTokenKeys(jose, rules.keys, now)
  return async (token) => {
    const { payload } = await verify(token, options(rules, now()))
    if (payload.iat !== undefined && payload.iat > seconds(now()) + SKEW) {
      throw new errors.JWTClaimValidationFailed(
        '"iat" claim is in the future',
        payload,
        'iat',
        'check_failed',
      )
    }
    return payload as TokenClaims
  }

  async function verify(token: string, options: JWTVerifyOptions) {
    try {
      return await jwtVerify(token, keyOf, options)
    } catch (several) {
      if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several
      let tried = 0
      for await (const key of several) {
        if (++tried > MOST_KEYS) break
        try {
          return await jwtVerify(token, key, options)
        } catch (error) {
          // The token has the signature of another key, or this key cannot check signatures.
          const wrong = error instanceof errors.JWSSignatureVerificationFailed || error instanceof TypeError
          if (!wrong) throw error
        }
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }
}

/** For a token that is cached. */
export const hasExpired = (exp: number, now: number): boolean => exp <= seconds(now) - SKEW

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

const options = ({ algorithms, issuer, audience }: TokenRules, now: number): JWTVerifyOptions => ({
  algorithms: [...algorithms],
  currentDate: new Date(now),
  clockTolerance: SKEW,
  requiredClaims: ['exp'],
  ...(issuer === undefined ? {} : { issuer }),
  ...(audience === undefined ? {} : { audience }),
})
