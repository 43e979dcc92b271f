/**
 * Reads the arguments of host functions. Most are read leniently: an id that is not one finds nothing, which is not a failure.
 */
import { ScriptFailure } from '../../script/problems.ts'
import { kindOf, numberToText, type ScriptArray, ScriptObject, type Value } from '../../script/values.ts'

/** The text of a text, a number or a boolean. Null for everything else. */
export function plainText(value: Value | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberToText(value)
  return typeof value === 'boolean' ? String(value) : null
}

/** The id itself, or the id of an object that has one. Null when there is none. */
export function idOf(value: Value | undefined): string | null {
  const id = value instanceof ScriptObject ? value.get('id') : value
  return typeof id === 'string' ? id.trim().toLowerCase() : null
}

/** The members of an object by name in lower case. When two names differ only in case, the later member counts. */
export function optionsOf(name: string, options: Value | undefined): ReadonlyMap<string, Value> {
  if (options === undefined || options === null) return new Map()
  if (!(options instanceof ScriptObject)) throw wrongArgument(name, 'Object', options)
  return new Map([...options.entries()].map(([key, value]) => [key.toLowerCase(), value]))
}

/** Texts, numbers and booleans as texts; null when the array holds anything else. */
export function textsOf({ items }: ScriptArray): readonly string[] | null {
  const texts = items.map(plainText)
  return texts.includes(null) ? null : (texts as string[])
}

/** A flag that is true unless the script says false. */
export const isOn = (value: Value | undefined): boolean => value !== false

export const wrongArgument = (name: string, expected: string, found: Value): ScriptFailure =>
  new ScriptFailure('JM5104', `${name} expects ${expected}; it was given ${kindOf(found)}`)
