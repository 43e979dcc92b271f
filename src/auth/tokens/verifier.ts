/**
 * Verifies tokens of callers and operators: turns the text of an `Authorization` header into a user. Refuses a token that is not
 * signed with a key and an algorithm of the rules, that has expired or has no expiry, or that has another issuer or audience.
 * Ignores the keys that a token itself names (`jwk`, `jku`, `x5u`, `x5c`).
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Problem } from '../../kernel/problem.ts'
import type { User } from '../../kernel/user.ts'
import { userOf } from './claims.ts'
import type { Jose } from './key-set.ts'
import { hasExpired, openTokenReader, type ReadToken, type TokenClaims } from './reader.ts'
import { type TokenRules, type TokenSettings, tokenRules } from './rules.ts'

export type TokenCheck =
  /** The header has no bearer token. */
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly user: User }
  /** The reason is for the log; the caller is not told it. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The token cannot be checked at the moment, because the keys cannot be read. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** Synchronous for a cached token. */
export type VerifyToken = (authorization: string | undefined) => TokenCheck | Promise<TokenCheck>

const LONGEST_TOKEN = 16_384
/** How long a checked token is cached, and so may outlive its key, in addition to the time that keys are cached. */
const REMEMBERED_MS = 300_000
/** Most weight of all cached tokens; a token weighs its characters plus the fixed weight of an entry. */
const MOST_WEIGHT = 4 * 2 ** 20
const ENTRY_WEIGHT = 1024

type Remembered = { readonly check: TokenCheck; readonly expires: number; readonly seenAt: number }

/** Reads and fetches nothing before the first token. */
export const openTokenVerifier = (settings: TokenSettings): VerifyToken =>
  createTokenVerifier(tokenRules(settings))

export function createTokenVerifier(rules: TokenRules, now: () => number = Date.now): VerifyToken {
  const remembered = new LRUCache<string, Remembered>({ maxSize: MOST_WEIGHT })
  let loading: Promise<{ readonly jose: Jose; readonly readToken: ReadToken }> | undefined

  return (authorization) => {
    const bearer = readBearer(authorization)
    if ('kind' in bearer) return bearer
    // Not the token itself: leaked memory must not contain usable tokens.
    const digest = hash('sha256', bearer.token, 'base64')
    const known = remembered.get(digest)
    if (known === undefined || Math.abs(now() - known.seenAt) > REMEMBERED_MS) {
      return check(bearer.token, digest)
    }
    return hasExpired(known.expires, now()) ? invalid('the token has expired') : known.check
  }

  async function check(token: string, digest: string): Promise<TokenCheck> {
    loading ??= import('jose').then((jose) => ({ jose, readToken: openTokenReader(jose, rules, now) }))
    const { jose, readToken } = await loading
    let claims: TokenClaims
    try {
      claims = await readToken(token)
    } catch (error) {
      if (error instanceof Problem) return { kind: 'unknown', reason: error.message }
      // jose throws a TypeError for a key of the wrong type.
      if (error instanceof jose.errors.JOSEError || error instanceof TypeError) return invalid(error.message)
      throw error
    }
    const user = userOf(claims, rules)
    if (user === null) return invalid(identifiesNobody(rules))
    const found: TokenCheck = { kind: 'valid', user }
    const entry = { check: found, expires: claims.exp, seenAt: now() }
    remembered.set(digest, entry, { size: ENTRY_WEIGHT + token.length })
    return found
  }
}

/** RFC 6750 section 2.1. Ignores other schemes. When there are several headers, Node returns the first. */
function readBearer(authorization = ''): { readonly token: string } | TokenCheck {
  const [, scheme = '', credentials = ''] = /^ *([^ ]*) *(.*)$/s.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' }
  if (credentials.length > LONGEST_TOKEN)
    return invalid(`the token has more than ${LONGEST_TOKEN} characters`)
  return /^[\w.-]+$/.test(credentials)
    ? { token: credentials }
    : invalid('expected one token after Bearer, found something else')
}

/** The reasons for which the claim does not count are for whoever sets up the identity provider. */
const identifiesNobody = ({ identityClaim }: TokenRules): string =>
  `the token identifies no user: it has no ${identityClaim} ${identityClaim === 'sub' ? '' : 'that its issuer has verified '}and no client`

const invalid = (reason: string): TokenCheck => ({ kind: 'invalid', reason })
