/**
 * A shape has the keys of similar objects, in order, and leads to the shapes with one more key. A tree of shapes belongs to one
 * compiled script and is bounded: further objects have their own tables. A compiled script of the service dialect has a second
 * tree for the objects that the host hands in, so that the shape of an object says how its members are found.
 */
import { type FoldedPlaces, foldedPlaceOf, foldedPlaces } from './folded-places.ts'

/** An object with more keys is a table and not a record. */
const MOST_KEYS = 32

/** Limit of one tree. Scripts that need more shapes use objects as tables. */
const MOST_SHAPES = 2000

/** Longer keys are data and not names of fields. */
const LONGEST_KEY = 64

/** Fewer keys are compared one by one, which is faster than hashing. */
const FEW_KEYS = 6

export class Shape {
  readonly keys: readonly string[]
  /** Whether scripts also find members by names in another letter case. */
  readonly foldsNames: boolean
  readonly #tree: { count: number }
  readonly #next = new Map<string, Shape>()
  #places: Map<string, number> | null = null
  #folded: FoldedPlaces | null = null

  private constructor(keys: readonly string[], foldsNames: boolean, tree: { count: number }) {
    this.keys = keys
    this.foldsNames = foldsNames
    this.#tree = tree
    tree.count++
  }

  /** The shape of empty objects, the root of a new tree. */
  static root({ foldsNames = false } = {}): Shape {
    return new Shape([], foldsNames, { count: 0 })
  }

  /** Negative if there is no such key. */
  placeOf(key: string): number {
    const { keys } = this
    if (keys.length <= FEW_KEYS) {
      for (let i = 0; i < keys.length; i++) if (keys[i] === key) return i
      return -1
    }
    this.#places ??= new Map(keys.map((known, place) => [known, place]))
    return this.#places.get(key) ?? -1
  }

  /** The place of the one key that has this name in any letter case; negative if there is none. */
  foldedPlaceOf(name: string): number {
    this.#folded ??= foldedPlaces(this.keys)
    return foldedPlaceOf(this.#folded, name)
  }

  /** The shape with one more key at the end; null beyond the limits. */
  with(key: string): Shape | null {
    const known = this.#next.get(key)
    if (known !== undefined) return known
    if (key.length > LONGEST_KEY) return null
    if (this.keys.length >= MOST_KEYS || this.#tree.count >= MOST_SHAPES) return null
    const next = new Shape([...this.keys, key], this.foldsNames, this.#tree)
    this.#next.set(key, next)
    return next
  }
}
