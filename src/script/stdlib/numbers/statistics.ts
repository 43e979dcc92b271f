/** Functions for the numbers in an array. Other elements are skipped. */
import { bytesOfGrownList, bytesOfList, ENTRY_BYTES } from '../../values/sizes.ts'
import type { ScriptArray, Value } from '../../values/value.ts'
import { sortNow } from '../arrays/introsort.ts'
import { compareNumbers } from '../arrays/ordering.ts'
import { array, define, type NativeContext, type NativeFunction } from '../definition.ts'

const ofNumbers = (
  name: string,
  returns: string,
  about: string,
  calculate: (numbers: readonly number[], context: NativeContext) => number | null,
): NativeFunction =>
  define({
    name,
    category: 'Mathematics',
    parameters: [array('value')],
    returns,
    about,
    body: (context, value) => calculate(numbersOf(value, context), context),
  })

/** An array of numbers alone is not copied. */
function numbersOf({ items }: ScriptArray, context: NativeContext): readonly number[] {
  context.work(items.length)
  if (items.every(isNumber)) return items
  context.allocate(bytesOfGrownList(items.length))
  return items.filter(isNumber)
}

const isNumber = (item: Value): item is number => typeof item === 'number'

// NaN is less than every number, as in Sort.
const lesser = (left: number, right: number): number => (compareNumbers(left, right) <= 0 ? left : right)
const greater = (left: number, right: number): number => (compareNumbers(left, right) >= 0 ? left : right)
const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

export const min = ofNumbers(
  'Min',
  'number or null',
  'The least number of an array; null without a number.',
  (numbers) => (numbers.length === 0 ? null : numbers.reduce(lesser)),
)

export const max = ofNumbers(
  'Max',
  'number or null',
  'The greatest number of an array; null without a number.',
  (numbers) => (numbers.length === 0 ? null : numbers.reduce(greater)),
)

export const sum = ofNumbers(
  'Sum',
  'number',
  'The sum of the numbers of an array; 0 without a number.',
  total,
)

export const average = ofNumbers(
  'Average',
  'number or null',
  'The mean of the numbers of an array; null without a number.',
  (numbers) => (numbers.length === 0 ? null : total(numbers) / numbers.length),
)

export const median = ofNumbers(
  'Median',
  'number or null',
  'The middle number of an array, or the mean of the middle two; null without a number.',
  (numbers, context) => {
    context.allocate(bytesOfList(numbers.length))
    const sorted = [...numbers]
    sortNow(sorted, (left, right) => {
      context.work(1)
      return compareNumbers(left, right)
    })
    const upper = sorted[sorted.length >> 1]
    if (upper === undefined || sorted.length % 2 === 1) return upper ?? null
    return ((sorted[(sorted.length >> 1) - 1] as number) + upper) / 2
  },
)

export const mode = ofNumbers(
  'Mode',
  'number or null',
  'The most frequent number of an array, the first one in a tie; null without a number.',
  (numbers, context) => {
    const counts = new Map<number, number>()
    for (const number of numbers) {
      const count = counts.get(number)
      if (count === undefined) context.allocate(ENTRY_BYTES)
      counts.set(number, (count ?? 0) + 1)
    }
    let mode: number | null = null
    let most = 0
    for (const [number, count] of counts) {
      if (count <= most) continue
      mode = number
      most = count
    }
    return mode
  },
)
