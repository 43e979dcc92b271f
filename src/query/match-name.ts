import { fold } from '../kernel/text.ts'

/**
 * The known names that a written one can mean: itself if it is known letter by letter, else every one that differs in
 * letter case only. None: unknown. Several: ambiguous.
 */
export function matchName(written: string, known: readonly string[]): readonly string[] {
  if (known.includes(written)) return [written]
  const folded = fold(written)
  return known.filter((name) => fold(name) === folded)
}
