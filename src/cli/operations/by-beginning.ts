import { ambiguousId } from '../failures/problems.ts'

/** Shorter beginnings are typing mistakes more often than ids. */
const LEAST_CHARACTERS = 4

/**
 * The one with this id, or whose id alone begins so, in any letter case; null when there is none.
 *
 * @throws Problem DIR659 when several ids begin so
 */
export function byIdOrBeginning<T extends { readonly id: string }>(
  found: readonly T[],
  reference: string,
): T | null {
  const beginning = reference.toLowerCase()
  const exact = found.find(({ id }) => id === reference || id === beginning)
  if (exact !== undefined || beginning.length < LEAST_CHARACTERS) return exact ?? null
  const matches = found.filter(({ id }) => id.toLowerCase().startsWith(beginning))
  if (matches.length > 1) throw ambiguousId(reference, matches)
  return matches[0] ?? null
}
