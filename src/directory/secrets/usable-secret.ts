import type { SecretSummary } from '../../schema/directory-shapes.ts'

export type WhyUnusable = 'unknown' | 'inactive' | 'expired'

/** @returns null for a secret that can be used now */
export function whyUnusable(
  secret: Pick<SecretSummary, 'isActive' | 'expiresAt'> | undefined,
): WhyUnusable | null {
  if (secret === undefined) return 'unknown'
  if (!secret.isActive) return 'inactive'
  return secret.expiresAt !== null && secret.expiresAt <= new Date().toISOString() ? 'expired' : null
}
