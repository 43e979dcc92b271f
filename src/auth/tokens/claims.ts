/**
 * Turns the claims of a verified token into its user; null when they identify none. The claims have the names of OpenID Connect
 * and Microsoft Entra ID. A claim of another type than expected counts as missing. A name that its holder may choose
 * (`preferred_username`, `name`, an address that nobody verified) is never an identity.
 */
import type { User } from '../../kernel/user.ts'
import type { TokenRules } from './rules.ts'

type Claims = Readonly<Record<string, unknown>>

export type IdentityRules = Pick<
  TokenRules,
  'rolesClaim' | 'identityClaim' | 'verifyingIssuers' | 'namesIssuer'
>

export function userOf(claims: Claims, rules: IdentityRules): User | null {
  const principalId = principalOf(claims, rules)
  if (principalId === null) return null
  const preferredUsername = text(claims, 'preferred_username')
  return {
    isAuthenticated: true,
    name: text(claims, 'name') || preferredUsername || text(claims, 'sub') || clientOf(claims),
    principalId,
    preferredUsername,
    email: verifiedEmail(claims, rules),
    objectId: text(claims, 'oid'),
    tenantId: text(claims, 'tid'),
    roles: rolesOf(claimAt(claims, rules.rolesClaim)),
    claims: Object.entries(claims).flatMap(([type, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => ({ type, value: asText(one) })),
    ),
  }
}

function principalOf(claims: Claims, rules: IdentityRules): string | null {
  if (isService(claims)) return `service:${issuerIn(claims, rules)}${clientOf(claims)}`
  const identity = identityOf(claims, rules)
  if (identity === '') return null
  // An address is the same person at every issuer that verifies addresses; any other name is only known to its issuer.
  const isAddress = rules.identityClaim === 'email' && isVerifying(claims, rules)
  return `user:${isAddress ? '' : issuerIn(claims, rules)}${identity}`
}

/** An issuer never gives a `sub` to two; of other claims only an issuer that was named for it is believed. */
function identityOf(claims: Claims, rules: IdentityRules): string {
  const { identityClaim } = rules
  if (identityClaim === 'sub') return text(claims, 'sub')
  if (identityClaim === 'email') return verifiedEmail(claims, rules)
  const value = claimAt(claims, identityClaim)
  return typeof value === 'string' && isVerifying(claims, rules) ? value : ''
}

/** Empty unless the issuer says that it is verified: the holder may have entered the address of another person. */
function verifiedEmail(claims: Claims, rules: IdentityRules): string {
  const email = text(claims, 'email')
  // Some issuers write "false" as a text, so nothing but the boolean counts. Where the claim is there, it decides.
  const isVerified = Object.hasOwn(claims, 'email_verified')
    ? claims.email_verified === true
    : isVerifying(claims, rules)
  return isVerified && ADDRESS.test(email) && email.normalize('NFKC') === email ? email : ''
}

/** Without invisible characters. With the normal form, no two that are stored apart become one when letter case is folded. */
const ADDRESS = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u

const isVerifying = (claims: Claims, { verifyingIssuers }: IdentityRules): boolean =>
  verifyingIssuers.includes(text(claims, 'iss'))

/** Two issuers may give the same name to two holders. The address of an issuer has no `#`. */
const issuerIn = (claims: Claims, { namesIssuer }: IdentityRules): string =>
  namesIssuer ? `${text(claims, 'iss').replaceAll('#', '%23')}#` : ''

/** In RFC 9068 a client that acts for itself is the subject; Entra ID marks it with `idtyp`. */
function isService(claims: Claims): boolean {
  const client = clientOf(claims)
  return client !== '' && (claims.idtyp === 'app' || ['', client].includes(text(claims, 'sub')))
}

const clientOf = (claims: Claims): string =>
  text(claims, 'azp') || text(claims, 'client_id') || text(claims, 'appid')

/** Reads an array of texts, or one text with spaces between the roles, like `scope`. */
function rolesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter((role) => role !== '')
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string' && role !== '') : []
}

/** Tries the longest name first at every step, because names may contain dots: `https://example.org/roles`. */
function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    if (Object.hasOwn(claims, name)) return claimAt((claims as Claims)[name], path.slice(dot + 1))
  }
  return undefined
}

function text(claims: Claims, name: string): string {
  const value = claims[name]
  return typeof value === 'string' ? value : ''
}

function asText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
