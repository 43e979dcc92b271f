/**
 * May this caller have this endpoint run? The endpoint's rule and what became of the caller's token enter, the verdict
 * leaves; what to answer is the edge's business.
 */
import type { User } from '../kernel/user.ts'
import type { TokenCheck } from './tokens/verifier.ts'

export type AccessRule = {
  readonly requiresAuthentication: boolean
  /** One of them is enough; none means any authenticated user. */
  readonly allowedRoles: readonly string[]
}

export type AccessDecision = 'yes' | 'unauthenticated' | 'forbidden' | 'unavailable'

/** Roles without the requirement still ask for a user: nobody has a role anonymously. A public endpoint ignores the token. */
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

/** Letter case counts, as it does where roles are given. */
export const hasRole = ({ roles }: User, role: string): boolean => roles.includes(role)
