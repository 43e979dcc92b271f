/**
 * Issues a token for a holder and a time to live that our verifier accepts, signed with the local key, which is made when it is
 * missing, or with the shared secret. Refuses when an identity provider signs tokens, and names that are empty, too long or
 * have control characters.
 */
import type { JWTPayload } from 'jose'
import { readOrMakeKeyFile } from '../../kernel/files/key-file.ts'
import { badTokenText, issuedElsewhere, noAddress } from '../problems.ts'
import { LOCAL_ISSUER, LOCAL_KEY_BYTES, type TokenKeySource, type TokenRules } from './rules.ts'

export type TokenHolder = {
  readonly name: string
  readonly email: string | undefined
  readonly roles: readonly string[]
}

export type IssuedToken = { readonly token: string; readonly expiresAt: string }

const LONGEST_TEXT = 100

/** @throws Problem when tokens are signed elsewhere, a text is wrong, or the key file cannot be used */
export async function issueToken(
  rules: TokenRules,
  holder: TokenHolder,
  timeToLiveSeconds: number,
  now: number = Date.now(),
): Promise<IssuedToken> {
  checkHolder(holder, rules)
  const key = signingKey(rules.keys)
  const { SignJWT } = await import('jose')
  const issued = Math.floor(now / 1000)
  const expires = issued + timeToLiveSeconds
  const token = await new SignJWT(claimsOf(holder, rules))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .setJti(crypto.randomUUID())
    .sign(key)
  return { token, expiresAt: new Date(expires * 1000).toISOString() }
}

/** The path of the roles is used as one name: the verifier tries that first. */
const claimsOf = ({ name, email, roles }: TokenHolder, rules: TokenRules): JWTPayload => ({
  iss: rules.issuer ?? LOCAL_ISSUER,
  ...(rules.audience === undefined ? {} : { aud: rules.audience }),
  sub: email ?? name,
  name,
  // Who may use the key vouches for what it signs.
  ...(email === undefined ? {} : { email, email_verified: true }),
  ...(isOwnClaim(rules.identityClaim) ? {} : { [rules.identityClaim]: email ?? name }),
  [rules.rolesClaim]: roles,
})

const isOwnClaim = (claim: string): boolean => claim === 'sub' || claim === 'email'

function signingKey(keys: TokenKeySource): Uint8Array {
  if (keys.kind === 'secret') return Buffer.from(keys.secret)
  if (keys.kind === 'local') return readOrMakeKeyFile(keys.path, LOCAL_KEY_BYTES)
  throw issuedElsewhere()
}

function checkHolder({ name, email, roles }: TokenHolder, { identityClaim }: TokenRules): void {
  checkText('a name', name)
  for (const role of roles) checkText('a role', role)
  if (email === undefined && identityClaim === 'email') throw noAddress()
  if (email !== undefined && !(isText(email) && /^[^\s@]+@[^\s@]+$/.test(email))) {
    throw badTokenText('an email address', LONGEST_TEXT, email)
  }
}

function checkText(what: string, found: string): void {
  if (!isText(found)) throw badTokenText(what, LONGEST_TEXT, found)
}

const isText = (text: string): boolean =>
  text.trim() !== '' && text.length <= LONGEST_TEXT && !/\p{Cc}/u.test(text)
