/** Numbers in a row. Their end is included, unlike that of `for`. */
import { ScriptFailure } from '../../failure.ts'
import { numberToText } from '../../values/number-text.ts'
import { ScriptArray } from '../../values/value.ts'
import { define, type NativeContext, number, optional } from '../definition.ts'
import { countArray, push } from './new-arrays.ts'

export const range = define({
  name: 'Range',
  category: 'Arrays',
  parameters: [number('start'), number('end'), optional(number('step'))],
  returns: 'array',
  about:
    'The numbers from start to end, both included, each a step (1 if left out) further than the one before.',
  body: (context, start, end, step = 1) => rangeOf(start, end, step, context),
})

/** Each number is made by addition from the one before, so rounding adds up: what comes is not counted exactly beforehand. */
function rangeOf(start: number, end: number, step: number, context: NativeContext): ScriptArray {
  const goesOn = (value: number): boolean => (step > 0 ? value <= end : step < 0 && value >= end)
  const expected = goesOn(start) ? Math.floor((end - start) / step) + 1 : 0
  countArray(expected, context)
  const numbers = new ScriptArray([])
  for (let value = start; goesOn(value); value += step) {
    if (value + step === value) {
      throw new ScriptFailure(
        'JM5002',
        `Range cannot go on from ${numberToText(value)} by ${numberToText(step)}`,
      )
    }
    if (numbers.items.length < expected) numbers.items.push(value)
    else push(numbers, value, context)
  }
  return numbers
}
