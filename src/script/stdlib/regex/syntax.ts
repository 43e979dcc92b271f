/** Trees of patterns, and the fault of a pattern without a tree. */
import type { UnitSet } from './units.ts'

export type PatternNode =
  | { readonly kind: 'units'; readonly units: UnitSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'capture'; readonly inner: PatternNode }
  | {
      readonly kind: 'repeat'
      readonly inner: PatternNode
      readonly least: number
      readonly most: number
      readonly lazy: boolean
    }
  | { readonly kind: 'assertion'; readonly what: Assertion }

/**
 * `text-end` is `\z`; `last-line-end` is `$`, which also matches before a line feed that ends the text; `line-start` and
 * `line-end` are those of `(?m)`; `search-start` is `\G`.
 */
export type Assertion =
  | 'text-start'
  | 'text-end'
  | 'last-line-end'
  | 'line-start'
  | 'line-end'
  | 'boundary'
  | 'no-boundary'
  | 'search-start'

export type PatternTree = {
  readonly root: PatternNode
  /** Names of the capturing groups in text order; null where a group has none. */
  readonly groupNames: readonly (string | null)[]
}

/** The pattern is wrong, or cannot be matched here exactly as it should. */
export class PatternFault extends Error {
  override readonly name: string = 'PatternFault'
  /** Whether the pattern is wrong, and not just beyond this engine. */
  readonly isMistake: boolean

  constructor(message: string, isMistake = false) {
    super(message)
    this.isMistake = isMistake
  }
}
