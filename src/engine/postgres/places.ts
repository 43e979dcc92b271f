/**
 * Where a literal lies among the stored values of a column. Not every literal is a value that a column can hold: `10.5` lies
 * between two integers, and a text with the character NUL between two texts. Such a literal equals nothing, but it has a place
 * in the order, which the nearest value that can be written describes.
 */
import { DECIMAL_SCALE, type Decimal, scaledFloor } from '../../kernel/decimal.ts'
import type { Comparison } from '../../query/plan/plan-nodes.ts'
import { numberKey } from '../../snapshot/postgres/number-key.ts'
import type { Parameters } from './parameters.ts'

export type Place = {
  readonly value: string | number
  readonly type: 'text' | 'bigint'
  /** How values less than the literal compare with `value`, or that all or none of them are less. */
  readonly less: '<' | '<=' | 'all' | 'none'
  /** Whether `value` is the literal itself. */
  readonly isItself: boolean
}

/** A condition in SQL, never true where `left` is null. */
export function compareWith(
  left: string,
  comparison: Comparison,
  { value, type, less, isItself }: Place,
  parameters: Parameters,
): string {
  if (comparison === 'eq') return isItself ? `${left} = ${parameters.add(value, type)}` : 'false'
  const isLess = comparison === 'lt' || comparison === 'le'
  if (less === 'all' || less === 'none') return (less === 'all') === isLess ? `${left} is not null` : 'false'
  const operators = isItself ? itself : between[less]
  return `${left} ${operators[comparison]} ${parameters.add(value, type)}`
}

/** Operators for comparisons with a value that the column may have. */
export const itself = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' } as const
const between = {
  '<': { lt: '<', le: '<', gt: '>=', ge: '>=' },
  '<=': { lt: '<=', le: '<=', gt: '>', ge: '>' },
} as const

export const placeOfNumber = (number: Decimal): Place => ({
  value: numberKey(number),
  type: 'text',
  less: '<',
  isItself: true,
})

/** Among amounts scaled by 10^5. */
export function placeOfAmount(number: Decimal): Place {
  const { scaled, exact } = scaledFloor(number)
  return placeOfFloor(scaled, exact)
}

export function placeOfInteger(number: Decimal): Place {
  const { scaled, exact } = scaledFloor(number)
  return placeOfFloor(Math.floor(scaled / DECIMAL_SCALE), exact && scaled % DECIMAL_SCALE === 0)
}

/** @param unitMs milliseconds of the unit in which the column counts */
export function placeOfInstant(instant: number, unitMs: number): Place {
  const units = instant / unitMs
  return placeOfFloor(Math.floor(units), Number.isInteger(units))
}

/** @param floor the greatest integer that is not greater than the literal */
function placeOfFloor(floor: number, isItself: boolean): Place {
  const place = { value: floor, type: 'bigint', isItself: false } as const
  if (floor === Infinity) return { ...place, less: 'all' }
  if (floor === -Infinity) return { ...place, less: 'none' }
  return { ...place, less: isItself ? '<' : '<=', isItself }
}

/** PostgreSQL can hold neither the character NUL nor half of a surrogate pair. */
export function placeOfText(text: string): Place {
  const at = UNWRITABLE.exec(text)?.index
  if (at === undefined) return { value: text, type: 'text', less: '<', isItself: true }
  const place = { value: text.slice(0, at), type: 'text', isItself: false } as const
  const unit = text.charCodeAt(at)
  // NUL is the least character: only texts that begin with `value` and go on are greater.
  if (unit === 0) return { ...place, less: '<=' }
  // The first half of a pair is less than every character that begins with it.
  if (unit < 0xdc00) return { ...place, value: place.value + String.fromCharCode(unit, 0xdc00), less: '<' }
  // The second half alone is greater than every character.
  const next = successor(place.value)
  return next === null ? { ...place, less: 'all' } : { ...place, value: next, less: '<' }
}

/** Whether the database can hold the text. */
export const isWritable = (text: string): boolean => !UNWRITABLE.test(text)

const UNWRITABLE = /\0|\p{Surrogate}/u

const LAST_CODE_POINT = 0x10ffff

/** The least text that is greater than all texts with this beginning; null when there is none. */
function successor(beginning: string): string | null {
  const points = Array.from(beginning, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return null
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
