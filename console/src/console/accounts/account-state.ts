/** In which state an account is: the first thing that keeps its key from working, or soon will. */
import type { ToneName } from '../../parts/tone-name.ts'

export type AccountState = 'active' | 'locked' | 'off' | 'expired' | 'expires-soon'

type Account = { readonly active: boolean; readonly locked: boolean; readonly expiresAt: string | null }

const SOON_MS = 30 * 86_400_000

export function accountState({ active, locked, expiresAt }: Account, nowMs = Date.now()): AccountState {
  if (!active) return 'off'
  if (locked) return 'locked'
  if (expiresAt === null) return 'active'
  const leftMs = Date.parse(expiresAt) - nowMs
  if (leftMs <= 0) return 'expired'
  return leftMs < SOON_MS ? 'expires-soon' : 'active'
}

export const accountTones: Readonly<Record<AccountState, ToneName>> = {
  active: 'good',
  locked: 'bad',
  off: 'neutral',
  expired: 'bad',
  'expires-soon': 'warning',
}
