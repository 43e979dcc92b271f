import { distance } from 'fastest-levenshtein'
import { fold } from './text.ts'

/**
 * The known name nearest to a mistyped one, or `undefined` when none is near enough. One letter may always differ, in
 * longer names up to a third of the letters, and never more than three. Two letters that changed places count as one.
 * Letter case does not count.
 */
export function closest(name: string, known: Iterable<string>): string | undefined {
  return closestNames(name, known, 1)[0]
}

/** The known names that are near enough to a mistyped one, the nearest first, at most as many as asked for. */
export function closestNames(name: string, known: Iterable<string>, most: number): readonly string[] {
  const wanted = fold(name)
  const allowed = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)))
  const near: { readonly candidate: string; readonly distance: number }[] = []
  for (const candidate of known) {
    const folded = fold(candidate)
    // A text of thousands of letters is not compared with each of thousands of names.
    if (Math.abs(folded.length - wanted.length) > allowed) continue
    const d = isSwapped(wanted, folded) ? 1 : distance(wanted, folded)
    if (d <= allowed) near.push({ candidate, distance: d })
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Whether two neighbouring letters have changed places and nothing else differs: `prot`, `port`. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
}
