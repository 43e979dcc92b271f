/**
 * Decides whether a caller may run an endpoint, from the rule of the endpoint and the check of the token. The edge turns the
 * decision into an answer.
 */
import type { User } from '../kernel/user.ts'
import type { TokenCheck } from './tokens/verifier.ts'

export type AccessRule = {
  readonly requiresAuthentication: boolean
  /** One of them is enough; an empty list admits any authenticated user. */
  readonly allowedRoles: readonly string[]
}

export type AccessDecision = 'yes' | 'unauthenticated' | 'forbidden' | 'unavailable'

/** Roles require a user even without `requiresAuthentication`. A public endpoint ignores the token. */
export function authorize(
  { requiresAuthentication, allowedRoles }: AccessRule,
  check: TokenCheck,
): AccessDecision {
  if (!requiresAuthentication && allowedRoles.length === 0) return 'yes'
  if (check.kind === 'unknown') return 'unavailable'
  if (check.kind !== 'valid') return 'unauthenticated'
  if (allowedRoles.length === 0) return 'yes'
  return allowedRoles.some((role) => hasRole(check.user, role)) ? 'yes' : 'forbidden'
}

/** Letter case counts. */
export const hasRole = ({ roles }: User, role: string): boolean => roles.includes(role)
