/**
 * A shape has the keys of similar objects, in order, and leads to the shapes with one more key. A tree of shapes belongs to one
 * compiled script and is bounded: further objects have their own tables. A compiled script of the service dialect has a second
 * tree for the objects that the host hands in, so that the shape of an object says how its members are found.
 *
 * All runs of a script share its trees. A run gives back what has been filled, when it begins and when it ends, so that no caller
 * can spoil the trees for the callers after him, or fill the heap with the trees of many scripts.
 */
import { detachedString } from '../../kernel/detached-string.ts'
import { type FoldedPlaces, foldedPlaceOf, foldedPlaces } from './folded-places.ts'

/** An object with more keys is a table and not a record. */
const MOST_KEYS = 32

/** Limit of one tree. Runs that need more shapes use objects as tables. */
const MOST_SHAPES = 2000

/** A tree with more shapes that runs have made starts anew after the run. Making a shape again takes a microsecond. */
const MOST_KEPT = 1000

/** A tree with more shapes that runs have made is one of few that may keep as many: a thread runs thousands of scripts. */
const FEW_KEPT = 50

/** How many trees of a thread may keep many shapes: those of the scripts that ran last. */
const MOST_LARGE_TREES = 16

/** Roots of the trees that keep many shapes, the latest last. */
let large: WeakRef<Shape>[] = []

/** Longer keys are data and not names of fields. */
const LONGEST_KEY = 64

/** Fewer keys are compared one by one, which is faster than hashing. */
const FEW_KEYS = 6

/** More keys are hashed when they have been searched as often. */
const SEARCHES = 32

/** How many shapes there are, and how many of them belong to the script. */
type Tree = { count: number; ofScript: number }

export class Shape {
  readonly keys: readonly string[]
  /** Whether scripts also find members by names in another letter case. */
  readonly foldsNames: boolean
  readonly #tree: Tree
  readonly #next = new Map<string, Shape>()
  /** Whether it belongs to the script itself and not to a run. */
  #isOfScript = false
  #places: Map<string, number> | null = null
  /** How often it was searched key by key. */
  #searched = 0
  #folded: FoldedPlaces | null = null

  private constructor(keys: readonly string[], foldsNames: boolean, tree: Tree) {
    this.keys = keys
    this.foldsNames = foldsNames
    this.#tree = tree
    tree.count++
  }

  /** The shape of empty objects, the root of a new tree. */
  static root({ foldsNames = false } = {}): Shape {
    return new Shape([], foldsNames, { count: 0, ofScript: 0 })
  }

  /** Keeps the shapes that this one leads to for ever: those of the literals of the script. */
  keep(): void {
    this.#isOfScript = true
    this.#tree.ofScript++
    for (const next of this.#next.values()) next.keep()
  }

  /** Before and after a run: gives back the shapes that runs have made, if they are many. Objects that have them keep them. */
  giveBack(): void {
    const ofRuns = this.#tree.count - this.#tree.ofScript
    if (ofRuns <= FEW_KEPT) return
    large = large.filter((known) => known.deref() !== this)
    if (ofRuns > MOST_KEPT) {
      this.#forgetRuns()
      return
    }
    large.push(new WeakRef(this))
    if (large.length <= MOST_LARGE_TREES) return
    const oldest = large.shift()?.deref()
    if (oldest !== undefined) oldest.#forgetRuns()
  }

  #forgetRuns(): void {
    for (const [key, next] of this.#next) {
      if (next.#isOfScript) next.#forgetRuns()
      else this.#next.delete(key)
    }
    this.#tree.count = this.#tree.ofScript
  }

  /** Negative if there is no such key. */
  placeOf(key: string): number {
    const { keys } = this
    // A map takes more than all else of a shape, and most shapes are only passed through by objects that get further keys.
    if (this.#places === null && (keys.length <= FEW_KEYS || this.#searched++ < SEARCHES)) {
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
    // The key may be cut from the body of a request, which must not stay in memory for it.
    const own = detachedString(key)
    const next = new Shape([...this.keys, own], this.foldsNames, this.#tree)
    this.#next.set(own, next)
    return next
  }
}
