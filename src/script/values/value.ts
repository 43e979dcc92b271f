/**
 * The values of scripts. Null, booleans, numbers (doubles) and strings (UTF-16) are those of JavaScript; arrays, objects and
 * functions are classes of ours without a path to anything of JavaScript's: keys of scripts are never property names.
 */
import type { Shape } from './shape.ts'

export type Value = null | boolean | number | string | ScriptArray | ScriptObject | ScriptFunction

/** A lambda. Only the machine knows what is inside. */
export abstract class ScriptFunction {
  abstract readonly parameterCount: number
  /** Calling it changes nothing: it answers the same as long as nothing else runs. */
  abstract readonly isPure: boolean
}

/** An array of a script. It never has holes. */
export class ScriptArray {
  /** Whoever writes an element or changes the length says so by {@link version}. */
  readonly items: Value[]
  /** Grows with every write, by which `foreach` notices that it goes over a changed array. */
  version = 0
  /** Which measuring of memory has met it last. */
  measured = 0

  constructor(items: Value[]) {
    this.items = items
  }
}

/**
 * An object of a script. Most objects of a script are alike: they share a shape, which says at which place each key's value
 * stands, so that reading a property is comparing a shape and taking a place. Objects with many keys, and those from which
 * something was deleted, keep a table of their own.
 */
export class ScriptObject {
  /** Null when the object has a table. */
  shape: Shape | null
  /** Values by place. Without a shape: by slot, `undefined` where a key was deleted. */
  readonly slots: (Value | undefined)[]
  /** Null while the object has a shape. */
  #table: SlotTable | null = null
  /** Grows with every new key, by which `foreach` notices that it goes over a changed object. */
  version = 0
  /** Which measuring of memory has met it last. */
  measured = 0

  /** @param slots one for each key of the shape */
  constructor(shape: Shape, slots: Value[]) {
    this.shape = shape
    this.slots = slots
  }

  get size(): number {
    return this.shape === null ? this.#ownTable().places.size : this.shape.keys.length
  }

  has(key: string): boolean {
    return this.placeOf(key) >= 0
  }

  /** Null where there is no such key. */
  get(key: string): Value {
    const place = this.placeOf(key)
    return place < 0 ? null : (this.slots[place] as Value)
  }

  /** Negative where there is no such key. */
  placeOf(key: string): number {
    return this.shape === null ? (this.#ownTable().places.get(key) ?? -1) : this.shape.placeOf(key)
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

  /** No error when there is no such key. */
  delete(key: string): void {
    const place = this.placeOf(key)
    if (place < 0) return
    const table = this.#ownTable()
    table.places.delete(key)
    table.keys[place] = undefined
    table.free.push(place)
    this.slots[place] = undefined
  }

  /** By place; `undefined` where a key was deleted. Not to be changed. */
  get keys(): readonly (string | undefined)[] {
    return this.shape === null ? this.#ownTable().keys : this.shape.keys
  }

  /** In order. */
  *entries(): Generator<[key: string, value: Value], void, undefined> {
    const { keys, slots } = this
    for (let place = 0; place < keys.length; place++) {
      const key = keys[place]
      if (key !== undefined) yield [key, slots[place] as Value]
    }
  }

  #ownTable(): SlotTable {
    if (this.#table === null) {
      this.#table = new SlotTable((this.shape as Shape).keys)
      this.shape = null
    }
    return this.#table
  }
}

/** A deleted key leaves its slot to the next new one, which takes the most recently freed. */
class SlotTable {
  readonly keys: (string | undefined)[]
  readonly places: Map<string, number>
  readonly free: number[] = []

  constructor(keys: readonly string[]) {
    this.keys = [...keys]
    this.places = new Map(keys.map((key, place) => [key, place]))
  }

  add(key: string, value: Value, slots: (Value | undefined)[]): void {
    const place = this.free.pop() ?? this.keys.length
    this.keys[place] = key
    this.places.set(key, place)
    slots[place] = value
  }
}

/** What makes values out of texts and plain values: it counts the memory that they take, before they take it. */
export interface JsonMaker {
  /** Takes over the given array. */
  readonly array: (items: Value[]) => ScriptArray
  readonly object: () => ScriptObject
  readonly set: (object: ScriptObject, key: string, value: Value) => void
  readonly text: (text: string) => string
  /** About one element or a hundred units of text each. */
  readonly work: (units: number) => void
}
