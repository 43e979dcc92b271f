/** The answer of the API to what changed. */

export type ChangeKind = 'added' | 'changed' | 'removed'

/** A record with what happened to it; one that was removed has its identity only. */
export type Change = { readonly _change: ChangeKind; readonly [member: string]: unknown }

export type Changes = {
  readonly records: readonly Change[]
  readonly total: number
  /** For the next question. */
  readonly token: string
}

export function countKinds(records: readonly Change[]): Readonly<Record<ChangeKind, number>> {
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const { _change } of records) counts[_change]++
  return counts
}
