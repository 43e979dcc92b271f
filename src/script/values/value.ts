/**
 * The values of scripts. Null, booleans, numbers (doubles) and strings (UTF-16) are those of JavaScript. Arrays, objects and
 * functions are classes that lead to nothing of JavaScript: keys of scripts are never property names.
 */
import { detachedString } from '../../kernel/detached-string.ts'
import { type FoldedPlaces, foldedPlaceOf, foldedPlaces, MOST_FOLDED_NAMES } from './folded-places.ts'
import type { Shape } from './shape.ts'
import {
  ARRAY_BYTES,
  bytesOfGrownList,
  bytesOfList,
  bytesOfMap,
  bytesOfText,
  FREE_PLACES_BYTES,
  OBJECT_BYTES,
  TABLE_BYTES,
  WORD,
} from './sizes.ts'

export type Value =
  | null
  | boolean
  | number
  | string
  | ScriptArray
  | ScriptObject
  | ScriptFunction
  | ScriptSequence

/** A lambda. Only the machine knows its content. */
export abstract class ScriptFunction {
  abstract readonly parameterCount: number
  /** Calling it changes nothing: it returns the same value as long as nothing else runs. */
  abstract readonly isPure: boolean
}

/**
 * Values that the host reads part by part while `foreach` goes over them. Each loop begins anew. Functions that expect arrays
 * refuse a sequence: they would need all of its values at once.
 */
export class ScriptSequence {
  /** The function that returned it. */
  readonly name: string
  /** Memory that counts for as long as a script can reach the sequence. */
  readonly bytes: number
  readonly read: () => SequenceReader
  /** Which measuring of memory has met it last. */
  measured = 0

  constructor(name: string, bytes: number, read: () => SequenceReader) {
    this.name = name
    this.bytes = bytes
    this.read = read
  }
}

export type SequenceReader = {
  /** The next values, null at the end. @throws ScriptFailure when they cannot be read */
  readonly next: () => Promise<ScriptArray | null>
  /** Releases what the reader holds, also when it has not come to the end. */
  readonly close: () => void
}

/** An array of a script. It never has holes. */
export class ScriptArray {
  /** Code that writes an element or changes the length increases {@link version}. */
  readonly items: Value[]
  /** Grows with every write, so that `foreach` notices a changed array, and memory is counted for the places in reserve. */
  version = 0
  /** Which measuring of memory has met it last. */
  measured = 0

  /** @param items has no places in reserve, or the version is set to 1 */
  constructor(items: Value[]) {
    this.items = items
  }

  /** Memory without that of the elements. */
  get bytes(): number {
    return ARRAY_BYTES + (this.version === 0 ? bytesOfList : bytesOfGrownList)(this.items.length)
  }
}

/**
 * An object of a script. Most objects of a script are alike: they share a shape, which gives the place of each key's value, so
 * reading a property compares a shape and takes a place. Objects with many keys, and objects with a deleted key, have their
 * own table.
 */
export class ScriptObject {
  /** Null when the object has a table. */
  shape: Shape | null
  /** Values by place. Without a shape: by slot, `undefined` for a deleted key. */
  readonly slots: (Value | undefined)[]
  /** Null while the object has a shape. */
  #table: SlotTable | null = null
  /** Grows with every new key, so that `foreach` notices a changed object, and memory is counted for the places in reserve. */
  version = 0
  /** Which measuring of memory has met it last. */
  measured = 0

  /** @param slots one for each key of the shape */
  constructor(shape: Shape, slots: Value[]) {
    this.shape = shape
    this.slots = slots
  }

  get size(): number {
    return this.shape === null ? this.#ownTable().size : this.shape.keys.length
  }

  has(key: string): boolean {
    return this.placeOf(key) >= 0
  }

  /** Null if there is no such key. */
  get(key: string): Value {
    const place = this.placeOf(key)
    return place < 0 ? null : (this.slots[place] as Value)
  }

  /** Negative if there is no such key. */
  placeOf(key: string): number {
    return this.shape === null ? this.#ownTable().placeOf(key) : this.shape.placeOf(key)
  }

  /** The value that a script reads under a name; null if there is none. */
  read(name: string): Value {
    const place = this.readPlaceOf(name)
    return place < 0 ? null : (this.slots[place] as Value)
  }

  /**
   * The place of the member that a script reads under a name. The key of exactly that name comes first; in objects that the
   * host handed in, the only key that has the name in another letter case comes next.
   */
  readPlaceOf(name: string): number {
    const place = this.placeOf(name)
    if (place >= 0) return place
    if (this.shape === null) return this.#ownTable().foldedPlaceOf(name)
    return this.shape.foldsNames ? this.shape.foldedPlaceOf(name) : -1
  }

  set(key: string, value: Value): void {
    const place = this.placeOf(key)
    if (place >= 0) {
      this.slots[place] = value
      return
    }
    this.version++
    const next = this.shape?.with(key) ?? null
    if (next !== null) {
      this.shape = next
      this.slots.push(value)
      return
    }
    this.#ownTable().add(key, value, this.slots)
  }

  /** Does nothing if there is no such key. */
  delete(key: string): void {
    const place = this.placeOf(key)
    if (place < 0) return
    const table = this.#ownTable()
    table.remove(key, place)
    this.slots[place] = undefined
  }

  /** Keys by place; `undefined` for a deleted key. Must not be changed. */
  get keys(): readonly (string | undefined)[] {
    return this.shape === null ? this.#ownTable().keys : this.shape.keys
  }

  /** Memory without that of the values. */
  get bytes(): number {
    const bytesOfPlaces = this.version === 0 ? bytesOfList : bytesOfGrownList
    const bytes = OBJECT_BYTES + bytesOfPlaces(this.slots.length)
    if (this.shape !== null) return bytes
    let ofTable = this.#ownTable().bytes + bytesOfPlaces(this.keys.length)
    for (const key of this.keys) if (key !== undefined) ofTable += bytesOfText(key)
    return bytes + ofTable
  }

  /** Keys and values in order. */
  *entries(): Generator<[key: string, value: Value], void, undefined> {
    const { keys, slots } = this
    for (let place = 0; place < keys.length; place++) {
      const key = keys[place]
      if (key !== undefined) yield [key, slots[place] as Value]
    }
  }

  #ownTable(): SlotTable {
    if (this.#table === null) {
      this.#table = new SlotTable(this.shape as Shape)
      this.shape = null
    }
    return this.#table
  }
}

/** A new key takes the slot of the key that was deleted last. */
class SlotTable {
  keys: (string | undefined)[]
  size: number
  /** Null while there are few keys, which are compared one by one. */
  #places: Map<string, number> | null = null
  #free: number[] | null = null
  readonly #foldsNames: boolean
  /** Null until a name in another letter case is looked for, and after a change of the keys. */
  #folded: FoldedPlaces | null = null

  constructor({ keys, foldsNames }: Shape) {
    this.keys = keys.slice()
    this.size = keys.length
    this.#foldsNames = foldsNames
  }

  /** Memory without that of the keys and their places. */
  get bytes(): number {
    const places = this.#places === null ? 0 : bytesOfMap(this.#places.size)
    const free = this.#free === null ? 0 : FREE_PLACES_BYTES + WORD * this.#free.length
    return TABLE_BYTES + places + free
  }

  /** Negative if there is no such key. */
  placeOf(key: string): number {
    if (this.keys.length <= FEW_KEYS) return this.keys.indexOf(key)
    this.#places ??= new Map(
      this.keys.flatMap((known, place) => (known === undefined ? [] : [[known, place]])),
    )
    return this.#places.get(key) ?? -1
  }

  add(key: string, value: Value, slots: (Value | undefined)[]): void {
    const place = this.#free?.pop() ?? this.keys.length
    // The key may be cut from a longer text, which must not stay in memory for it.
    const own = detachedString(key)
    this.keys[place] = own
    this.#places?.set(own, place)
    this.size++
    this.#folded = null
    slots[place] = value
  }

  remove(key: string, place: number): void {
    this.#places?.delete(key)
    this.keys[place] = undefined
    this.#free ??= []
    this.#free.push(place)
    this.size--
    this.#folded = null
  }

  /** Negative if there is no such key, and in tables whose keys are data. */
  foldedPlaceOf(name: string): number {
    if (!this.#foldsNames || this.size > MOST_FOLDED_NAMES) return -1
    this.#folded ??= foldedPlaces(this.keys)
    return foldedPlaceOf(this.#folded, name)
  }
}

/** Tables with more keys have a map from keys to places. */
const FEW_KEYS = 8

/** Makes values from texts and plain values. It counts their memory before they take it. */
export interface JsonMaker {
  /** The new array may use the given array itself. */
  readonly array: (items: Value[]) => ScriptArray
  readonly object: () => ScriptObject
  readonly set: (object: ScriptObject, key: string, value: Value) => void
  readonly text: (text: string) => string
  /** Counts memory that it takes for a while; a negative number when it is free again. */
  readonly allocate: (bytes: number) => void
  /** Counts work: one unit for about one element or a hundred units of text. */
  readonly work: (units: number) => void
}
