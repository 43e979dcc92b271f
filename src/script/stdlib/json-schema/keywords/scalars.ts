/** Keywords for values of every kind, for numbers and for texts. */
import { codePointLength } from '../../../../kernel/text.ts'
import { areEqual } from '../../../values/equality.ts'
import { jsonNumber } from '../../../values/json-write.ts'
import type { Value } from '../../../values/value.ts'
import {
  type ArgumentReader,
  anything,
  boolean,
  items,
  malformed,
  number,
  pattern,
  positive,
  type Reading,
  size,
  text,
  texts,
} from '../arguments.ts'
import { fail } from '../evaluate.ts'
import { isMultiple } from '../is-multiple.ts'
import { forAll, forKind, type Keyword, keyword } from '../keyword.ts'
import type { Check, Frame } from '../schema.ts'

const typeNames: readonly string[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** One type or several. */
const types: ArgumentReader<readonly string[]> = (value, reading) => {
  const named = typeof value === 'string' ? [text(value, reading)] : texts(value, reading)
  if (!named.every((name) => typeNames.includes(name))) throw malformed(reading, 'names of types')
  return named
}

const typeNameOf = ({ kind, value }: Frame): string =>
  Number.isInteger(value) ? 'integer' : kind.toLowerCase()

const type = forAll('type', types, (frame, allowed) => {
  const received = typeNameOf(frame)
  if (allowed.includes(received) || (received === 'integer' && allowed.includes('number'))) return
  fail(frame, 'type', `Expected ${allowed.join(' or ')}, received ${received}`)
})

/** Unlike in scripts, null is equal to null in every dialect. */
export const isSame = (frame: Frame, left: Value, right: Value): boolean =>
  areEqual(left, right, { work: frame.context.work, nullEqualsNull: true })

const enumeration = forAll('enum', items, (frame, allowed) => {
  frame.context.work(Math.ceil(allowed.length / 10))
  if (allowed.some((value) => isSame(frame, value, frame.value))) return
  fail(frame, 'enum', 'The value is not one of those allowed')
})

const constant = forAll(
  'const',
  anything,
  (frame, value) => {
    if (!isSame(frame, value, frame.value)) fail(frame, 'const', 'The value is not the one required')
  },
  { since: 6 },
)

const multipleOf = forKind('Number', 'multipleOf', positive, (frame, value, divisor) => {
  if (isMultiple(value, divisor)) return
  fail(frame, 'multipleOf', `${jsonNumber(value)} is not a multiple of ${jsonNumber(divisor)}`)
})

const numberBound = (
  name: string,
  complaint: string,
  allows: (value: number, bound: number) => boolean,
): ((bound: number) => Check) => {
  const say = (value: number, bound: number) => `${jsonNumber(value)} ${complaint} ${jsonNumber(bound)}`
  return (bound) => (frame) => {
    const { value } = frame
    if (typeof value === 'number' && !allows(value, bound)) fail(frame, name, say(value, bound))
  }
}

const atMost = numberBound('maximum', 'is more than the maximum of', (value, bound) => value <= bound)
const atLeast = numberBound('minimum', 'is less than the minimum of', (value, bound) => value >= bound)
const below = numberBound('exclusiveMaximum', 'is not less than', (value, bound) => value < bound)
const above = numberBound('exclusiveMinimum', 'is not more than', (value, bound) => value > bound)

/** In draft 4 the exclusive keyword makes the other one exclusive. */
const isExclusive = ({ draft, sibling }: Reading, exclusive: string): boolean =>
  draft === 4 && sibling(exclusive) === true

const bound = (name: string, exclusiveName: string, inclusive: typeof atMost, exclusive: typeof atMost) =>
  keyword(name, (argument, reading) =>
    (isExclusive(reading, exclusiveName) ? exclusive : inclusive)(number(argument, reading)),
  )

const exclusiveBound = (name: string, exclusive: typeof atMost) =>
  keyword(name, (argument, reading) => {
    if (reading.draft > 4) return exclusive(number(argument, reading))
    boolean(argument, reading)
    return null
  })

const maxLength = forKind('String', 'maxLength', size, (frame, value, limit) => {
  if (value.length <= limit) return
  const length = lengthOf(frame, value)
  if (length <= limit) return
  fail(frame, 'maxLength', `The text has ${length} characters, more than the maximum of ${jsonNumber(limit)}`)
})

const minLength = forKind('String', 'minLength', size, (frame, value, limit) => {
  const length = lengthOf(frame, value)
  if (length >= limit) return
  fail(frame, 'minLength', `The text has ${length} characters, less than the minimum of ${jsonNumber(limit)}`)
})

function lengthOf(frame: Frame, value: string): number {
  frame.context.work(Math.ceil(value.length / 100))
  return codePointLength(value)
}

const patternKeyword = forKind('String', 'pattern', pattern, (frame, value, matches) => {
  if (!matches(value)) fail(frame, 'pattern', 'The text does not match the required pattern')
})

export const scalarKeywords: readonly Keyword[] = [
  type,
  enumeration,
  constant,
  multipleOf,
  bound('maximum', 'exclusiveMaximum', atMost, below),
  bound('minimum', 'exclusiveMinimum', atLeast, above),
  exclusiveBound('exclusiveMaximum', below),
  exclusiveBound('exclusiveMinimum', above),
  maxLength,
  minLength,
  patternKeyword,
]
