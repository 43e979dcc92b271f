/** For tests of values: a maker that counts, and plain forms that show the order of keys. */

import { Shape } from '../values/shape.ts'
import { type JsonMaker, ScriptArray, ScriptFunction, ScriptObject, type Value } from '../values/value.ts'

export type TestMaker = JsonMaker & { bytes: number; units: number }

export function testMaker(): TestMaker {
  const root = Shape.root()
  const maker: TestMaker = {
    bytes: 0,
    units: 0,
    work(units) {
      maker.units += units
    },
    allocate(bytes) {
      maker.bytes += bytes
    },
    text(text) {
      maker.bytes += 24 + 2 * text.length
      return text
    },
    array(items) {
      maker.bytes += 48 + 16 * items.length
      return new ScriptArray(items)
    },
    object() {
      maker.bytes += 64
      return new ScriptObject(root, [])
    },
    set(object, key, value) {
      maker.bytes += 16
      object.set(key, value)
    },
  }
  return maker
}

export const arrayOf = (...items: Value[]): ScriptArray => new ScriptArray(items)

export function objectOf(...entries: readonly (readonly [key: string, value: Value])[]): ScriptObject {
  const object = new ScriptObject(Shape.root(), [])
  for (const [key, value] of entries) object.set(key, value)
  return object
}

/** Nested arrays. */
export function nestedArrays(levels: number, innermost: Value = arrayOf()): Value {
  let value = innermost
  for (let i = 0; i < levels; i++) value = arrayOf(value)
  return value
}

/** An array and an object that contain themselves. */
export function cycles(): readonly Value[] {
  const array = arrayOf()
  array.items.push(array)
  const object = objectOf()
  object.set('self', object)
  return [array, object]
}

/** An array whose text doubles with each level, because each level contains the one below twice. */
export function sharedTwice(levels: number): Value {
  let value: Value = arrayOf()
  for (let i = 0; i < levels; i++) value = arrayOf(value, value)
  return value
}

export class TestFunction extends ScriptFunction {
  readonly isPure = false
  readonly parameterCount = 1
}

/** Arrays stay arrays; objects become lists of entries under `{}`. */
export function plainOf(value: Value): unknown {
  if (value instanceof ScriptArray) return value.items.map(plainOf)
  if (!(value instanceof ScriptObject)) return value
  return { '{}': [...value.entries()].map(([key, member]) => [key, plainOf(member)]) }
}
