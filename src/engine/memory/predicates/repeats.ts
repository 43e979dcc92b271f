/**
 * Finds the parts of a condition that occur more than once, by their meaning, so that they are answered once. Records and
 * the elements of each collection are different scopes with separate answers.
 */
import { mayRepeat } from '../../../query/plan/may-repeat.ts'
import { predicateKeys } from '../../../query/plan/plan-key.ts'
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { CollectionName } from '../../../schema/datasets.ts'

export type Repeats = {
  /** A key for the meaning of the predicate; null when it occurs once, and for constants. */
  readonly keyOf: (predicate: Predicate) => string | null
  readonly usesOf: (key: string) => number
}

const none: Repeats = { keyOf: () => null, usesOf: () => 1 }

export function repeatsIn(where: Predicate): Repeats {
  if (!mayRepeat(where)) return none
  const keyOf = predicateKeys()
  const keys = new Map<Predicate, string>()
  const uses = new Map<string, number>()
  const count = (predicate: Predicate, scope: 'record' | CollectionName): void => {
    if (predicate.kind !== 'constant') {
      const key = `${scope} ${keyOf(predicate)}`
      keys.set(predicate, key)
      uses.set(key, (uses.get(key) ?? 0) + 1)
    }
    for (const part of partsOf(predicate))
      count(part, predicate.kind === 'any' ? predicate.collection : scope)
  }
  count(where, 'record')
  const usesOf = (key: string): number => uses.get(key) ?? 1
  return {
    keyOf: (predicate) => {
      const key = keys.get(predicate)
      return key !== undefined && usesOf(key) > 1 ? key : null
    },
    usesOf,
  }
}

function partsOf(predicate: Predicate): readonly Predicate[] {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.operands
    case 'not':
      return [predicate.operand]
    case 'any':
      return predicate.condition === null ? [] : [predicate.condition]
    case 'constant':
    case 'is-null':
    case 'compare':
    case 'one-of':
    case 'match':
      return []
  }
}
