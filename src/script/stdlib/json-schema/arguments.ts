/** Readers for the arguments of keywords. Any other argument makes the schema malformed. */
import { ScriptFailure } from '../../failure.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import type { Draft } from './draft.ts'
import type { PatternTester } from './patterns.ts'
import type { Schema, SchemaNode } from './schema.ts'

/** What a keyword can read from the schema around it. */
export type Reading = {
  readonly keyword: string
  readonly draft: Draft
  readonly node: SchemaNode
  /** The argument of another keyword of the same schema. */
  readonly sibling: (keyword: string) => Value | undefined
  readonly schema: (value: Value) => Schema
  readonly pattern: (text: string) => PatternTester
  readonly work: (units: number) => void
}

export type ArgumentReader<Argument> = (value: Value, reading: Reading) => Argument

export const malformed = ({ keyword }: Pick<Reading, 'keyword'>, expected: string): ScriptFailure =>
  new ScriptFailure('JM5002', `Malformed schema: ${keyword} has to be ${expected}`)

/** Accepts values that pass the test. */
const those =
  <Argument extends Value>(
    expected: string,
    test: (value: Value) => value is Argument,
  ): ArgumentReader<Argument> =>
  (value, reading) => {
    if (!test(value)) throw malformed(reading, expected)
    return value
  }

export const anything: ArgumentReader<Value> = (value) => value

export const boolean = those('true or false', (value) => typeof value === 'boolean')

export const number = those('a number', (value): value is number => Number.isFinite(value))

export const positive = those(
  'a positive number',
  (value): value is number => Number.isFinite(value) && (value as number) > 0,
)

/** A length or a count. */
export const size = those(
  'an integer of zero or more',
  (value): value is number => Number.isInteger(value) && (value as number) >= 0,
)

export const text = those('a text', (value) => typeof value === 'string')

const array = those('an array', (value) => value instanceof ScriptArray)

const object = those('an object', (value) => value instanceof ScriptObject)

export const items: ArgumentReader<readonly Value[]> = (value, reading) => {
  const { items } = array(value, reading)
  reading.work(items.length)
  return items
}

export const texts: ArgumentReader<readonly string[]> = (value, reading) =>
  items(value, reading).map((item) => {
    if (typeof item !== 'string') throw malformed(reading, 'an array of texts')
    return item
  })

export const schema: ArgumentReader<Schema> = (value, reading) => reading.schema(value)

export const schemas: ArgumentReader<readonly Schema[]> = (value, reading) => {
  const given = items(value, reading)
  if (given.length === 0) throw malformed(reading, 'an array of at least one schema')
  return given.map(reading.schema)
}

/** One argument for each key of an object. */
export const each =
  <Member>(member: ArgumentReader<Member>): ArgumentReader<readonly (readonly [key: string, Member])[]> =>
  (value, reading) => {
    const given = object(value, reading)
    reading.work(given.size)
    return [...given.entries()].map(([key, value]) => [key, member(value, reading)] as const)
  }

export const pattern: ArgumentReader<PatternTester> = (value, reading) =>
  reading.pattern(text(value, reading))

/** One schema for each pattern, for the keys that match it. */
export const eachPattern: ArgumentReader<readonly (readonly [PatternTester, Schema])[]> = (value, reading) =>
  each(schema)(value, reading).map(([key, member]) => [reading.pattern(key), member] as const)
