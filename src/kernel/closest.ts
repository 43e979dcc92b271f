import { distance } from 'fastest-levenshtein'
import { fold } from './text.ts'

/**
 * The known name nearest to a mistyped one, or `undefined` when none is near enough. One letter may always differ, in
 * longer names up to a third of the letters, and never more than three. Letter case does not count.
 */
export function closest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name)
  const allowed = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const candidate of known) {
    const d = distance(wanted, fold(candidate))
    if (d < bestDistance) {
      best = candidate
      bestDistance = d
    }
  }
  return best
}
