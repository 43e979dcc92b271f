import { fold } from '../kernel/text.ts'

/**
 * The known names that a written one can mean: an exact match if there is one, else every name that differs only in letter
 * case. None: unknown. Several: ambiguous. The list is indexed once, so it must not change afterwards.
 */
export function matchName(written: string, known: readonly string[]): readonly string[] {
  let index = indexes.get(known)
  if (index === undefined) {
    index = { exact: new Set(known), byFolded: Map.groupBy(known, fold) }
    indexes.set(known, index)
  }
  if (index.exact.has(written)) return [written]
  return index.byFolded.get(fold(written)) ?? []
}

type NameIndex = {
  readonly exact: ReadonlySet<string>
  readonly byFolded: ReadonlyMap<string, readonly string[]>
}

/** Indexed, because a client may have thousands of labels and a filter may name hundreds. */
const indexes = new WeakMap<readonly string[], NameIndex>()
