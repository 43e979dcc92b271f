/** Makes a range of numbers. The end is included, unlike that of `for`. */
import { ScriptFailure } from '../../failure.ts'
import { numberToText } from '../../values/number-text.ts'
import type { ScriptArray } from '../../values/value.ts'
import { define, type NativeContext, number, optional } from '../definition.ts'
import { countedArray, fill, push } from './new-arrays.ts'

export const range = define({
  name: 'Range',
  category: 'Arrays',
  parameters: [number('start'), number('end'), optional(number('step'))],
  returns: 'array',
  about: 'The numbers from start to end, both included, at a distance of step (1 by default).',
  body: (context, start, end, step = 1) => rangeOf(start, end, step, context),
})

/** Each number is the sum of the one before and the step. Rounding errors add up, so the length is not known exactly before. */
function rangeOf(start: number, end: number, step: number, context: NativeContext): ScriptArray {
  const goesOn = (value: number): boolean => (step > 0 ? value <= end : step < 0 && value >= end)
  const expected = goesOn(start) ? Math.floor((end - start) / step) + 1 : 0
  const numbers = countedArray(expected, context)
  for (let value = start; goesOn(value); value += step) {
    if (value + step === value) {
      throw new ScriptFailure(
        'JM5002',
        `Range cannot continue from ${numberToText(value)} by ${numberToText(step)}`,
      )
    }
    if (numbers.items.length < expected) fill(numbers, value, context)
    else push(numbers, value, context)
  }
  return numbers
}
