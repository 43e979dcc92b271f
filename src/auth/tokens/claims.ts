/**
 * Turns the claims of a verified token into its user; null when they identify none. The claims have the names of OpenID Connect
 * and Microsoft Entra ID. A claim of another type than expected counts as missing.
 */
import type { User } from '../../kernel/user.ts'

type Claims = Readonly<Record<string, unknown>>

export function userOf(claims: Claims, rolesClaim: string): User | null {
  const principalId = principalOf(claims)
  if (principalId === null) return null
  const preferredUsername = text(claims, 'preferred_username')
  return {
    isAuthenticated: true,
    name: text(claims, 'name') || preferredUsername || text(claims, 'sub') || clientOf(claims),
    principalId,
    preferredUsername,
    email: text(claims, 'email'),
    objectId: text(claims, 'oid'),
    tenantId: text(claims, 'tid'),
    roles: rolesOf(claimAt(claims, rolesClaim)),
    claims: Object.entries(claims).flatMap(([type, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => ({ type, value: asText(one) })),
    ),
  }
}

function principalOf(claims: Claims): string | null {
  const email = emailOf(claims)
  if (email !== '') return `user:${email}`
  if (isService(claims)) return `service:${clientOf(claims)}`
  const subject = text(claims, 'sub')
  return subject === '' ? null : `user:${subject}`
}

/** Ignores an email address that is not verified: the holder may have entered the address of another person. */
function emailOf(claims: Claims): string {
  if (claims.email_verified === false) return ''
  const candidates = [text(claims, 'email'), text(claims, 'preferred_username'), text(claims, 'upn')]
  return candidates.find((candidate) => /^[^\s@]+@[^\s@]+$/.test(candidate)) ?? ''
}

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
