/**
 * Turns plain values of JavaScript, of the kinds that JSON has, into values of scripts. Hosts pass such values in. Only own
 * members with text keys count, without those that are undefined. Anything else is an error of the host.
 */
import { isNullPrototypeObject } from '../../kernel/null-prototype-object.ts'
import type { JsonMaker, Value } from './value.ts'
import { MOST_LEVELS, nestedTooDeeply } from './value-walk.ts'

/**
 * @throws TypeError for a value that is not plain
 * @throws ScriptFailure JM5002 for values that contain themselves
 */
export const fromPlain = (value: unknown, maker: JsonMaker): Value => convert(value, maker, 0)

function convert(value: unknown, maker: JsonMaker, level: number): Value {
  switch (typeof value) {
    case 'string':
      return maker.text(value)
    case 'number':
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (level >= MOST_LEVELS) throw nestedTooDeeply()
      maker.work(1)
      if (Array.isArray(value)) return convertArray(value, maker, level)
      if (isPlainObject(value)) return convertObject(value, maker, level)
  }
  throw new TypeError(`Not a plain value: ${typeof value}`)
}

function convertArray(plain: readonly unknown[], maker: JsonMaker, level: number): Value {
  maker.work(plain.length)
  // Unlike map, from also visits holes, which are refused.
  return maker.array(Array.from(plain, (item) => convert(item, maker, level + 1)))
}

function convertObject(plain: { readonly [key: string]: unknown }, maker: JsonMaker, level: number): Value {
  const keys = Object.keys(plain)
  maker.work(keys.length)
  const object = maker.object()
  for (const key of keys) {
    const member = plain[key]
    if (member !== undefined) maker.set(object, key, convert(member, maker, level + 1))
  }
  return object
}

function isPlainObject(value: object): value is { readonly [key: string]: unknown } {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || isNullPrototypeObject(value)
}
