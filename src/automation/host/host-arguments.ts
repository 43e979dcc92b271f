/** Arguments as host functions take them: leniently, since what is not there is an answer and no failure. */
import { ScriptFailure } from '../../script/problems.ts'
import { kindOf, numberToText, type ScriptArray, ScriptObject, type Value } from '../../script/values.ts'

/** A text, or what is written as one without a question. Null for everything else. */
export function plainText(value: Value | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberToText(value)
  return typeof value === 'boolean' ? String(value) : null
}

/** An id, or that of an object that has one. Null where there is none, which nothing has. */
export function idOf(value: Value | undefined): string | null {
  const id = value instanceof ScriptObject ? value.get('id') : value
  return typeof id === 'string' ? id.trim().toLowerCase() : null
}

/** Members of an object without regard to the case of their names; of several alike the last counts. */
export function optionsOf(name: string, options: Value | undefined): ReadonlyMap<string, Value> {
  if (options === undefined || options === null) return new Map()
  if (!(options instanceof ScriptObject)) throw wrongArgument(name, 'Object', options)
  return new Map([...options.entries()].map(([key, value]) => [key.toLowerCase(), value]))
}

/** Texts, numbers and booleans as texts; null when something else is among them. */
export function textsOf({ items }: ScriptArray): readonly string[] | null {
  const texts = items.map(plainText)
  return texts.includes(null) ? null : (texts as string[])
}

/** False only where it is said: what is left out is true. */
export const isOn = (value: Value | undefined): boolean => value !== false

export const wrongArgument = (name: string, expected: string, found: Value): ScriptFailure =>
  new ScriptFailure('JM5104', `${name} expects ${expected}; it was given ${kindOf(found)}`)
