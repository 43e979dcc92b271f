/**
 * Tokens of callers and operators: the text of an `Authorization` header enters, the user it speaks for leaves. Refuses what
 * is not signed with a key of the rules' source by an algorithm of theirs, has no end or is past it, or is meant for others.
 * What a token says about its own keys (`jwk`, `jku`, `x5u`, `x5c`) is not looked at.
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
  /** There is no bearer token. */
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly user: User }
  /** For the log: callers learn only that they are not let in. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Nobody can tell at the moment: the keys cannot be had. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** Answers at once for a token that was seen before and is still good. */
export type VerifyToken = (authorization: string | undefined) => TokenCheck | Promise<TokenCheck>

const LONGEST_TOKEN = 16_384
/** How long a token may outlive its key, beyond the time for which keys are kept. */
const REMEMBERED_MS = 300_000
/** What the remembered tokens weigh together: the characters of each, and no less than an entry takes anyway. */
const MOST_WEIGHT = 4 * 2 ** 20
const ENTRY_WEIGHT = 1024

type Remembered = { readonly check: TokenCheck; readonly expires: number; readonly seenAt: number }

/**
 * Reads and fetches nothing until the first token comes.
 * @throws Problem when the settings contradict each other
 */
export const openTokenVerifier = (settings: TokenSettings): VerifyToken =>
  createTokenVerifier(tokenRules(settings))

export function createTokenVerifier(rules: TokenRules, now: () => number = Date.now): VerifyToken {
  const remembered = new LRUCache<string, Remembered>({ maxSize: MOST_WEIGHT })
  let loading: Promise<{ readonly jose: Jose; readonly readToken: ReadToken }> | undefined

  return (authorization) => {
    const bearer = readBearer(authorization)
    if ('kind' in bearer) return bearer
    // Not the token itself: memory that leaks must not let anybody in.
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
      // A key that does not fit is refused with a TypeError.
      if (error instanceof jose.errors.JOSEError || error instanceof TypeError) return invalid(error.message)
      throw error
    }
    const user = userOf(claims, rules.rolesClaim)
    if (user === null) return invalid('the token speaks for nobody: it names no sub, email or client')
    const found: TokenCheck = { kind: 'valid', user }
    const entry = { check: found, expires: claims.exp, seenAt: now() }
    remembered.set(digest, entry, { size: ENTRY_WEIGHT + token.length })
    return found
  }
}

/** RFC 6750 section 2.1. Another scheme is somebody else's business. Of several headers Node hands over the first. */
function readBearer(authorization = ''): { readonly token: string } | TokenCheck {
  const [, scheme = '', credentials = ''] = /^ *([^ ]*) *(.*)$/s.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' }
  if (credentials.length > LONGEST_TOKEN)
    return invalid(`the token has more than ${LONGEST_TOKEN} characters`)
  return /^[\w.-]+$/.test(credentials)
    ? { token: credentials }
    : invalid('expected one token after Bearer, found something else')
}

const invalid = (reason: string): TokenCheck => ({ kind: 'invalid', reason })
