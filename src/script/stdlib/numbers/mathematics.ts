/** Functions for numbers (language reference, 10.3). The list at the end also has those for arrays of numbers. */
import { getRandomValues } from 'node:crypto'
import { ScriptFailure } from '../../failure.ts'
import { requireInteger } from '../../values/integers.ts'
import { numberToText } from '../../values/number-text.ts'
import { define, type NativeFunction, number, optional, text } from '../definition.ts'
import { roundings, roundNumber } from './round.ts'
import { average, max, median, min, mode, sum } from './statistics.ts'

const category = 'Mathematics'

const ofOne = (name: string, about: string, calculate: (value: number) => number): NativeFunction =>
  define({
    name,
    category,
    parameters: [number('value')],
    returns: 'number',
    about,
    body: (_, value) => calculate(value),
  })

const absolute = ofOne('Absolute', 'A number without its sign.', Math.abs)
const floor = ofOne('Floor', 'The largest integer that is not above a number.', Math.floor)
const ceiling = ofOne('Ceiling', 'The smallest integer that is not below a number.', Math.ceil)
const squareRoot = ofOne('SquareRoot', 'The square root of a number; NaN below zero.', Math.sqrt)

const round = define({
  name: 'Round',
  category,
  parameters: [number('value'), number('decimals'), optional(text('mode'))],
  returns: 'number',
  about:
    'Rounds to a number of decimals, ties away from zero (`halfUp`) or to even (`halfEven`); `halfDown` cuts off towards zero.',
  body(_, value, decimals, mode = 'halfUp') {
    requireInteger(decimals, 'Round', 'decimals')
    if (decimals > 15) throw new ScriptFailure('JM5002', 'Round supports at most 15 decimals')
    const rounding = roundings.get(mode)
    if (rounding === undefined) {
      throw new ScriptFailure(
        'JM5909',
        `Round has no mode '${mode}', only ${[...roundings.keys()].join(', ')}`,
      )
    }
    return roundNumber(value, decimals, rounding)
  },
})

const power = define({
  name: 'Power',
  category,
  parameters: [number('left'), number('right')],
  returns: 'number',
  about: 'A number raised to a power.',
  body: (_, left, right) => left ** right,
})

const log = define({
  name: 'Log',
  category,
  parameters: [number('value'), optional(number('base'))],
  returns: 'number',
  about: 'The logarithm of a number, natural unless a base is given.',
  body(_, value, base) {
    if (base === undefined) return Math.log(value)
    return base === 1 ? Number.NaN : Math.log(value) / Math.log(base)
  },
})

const clamp = define({
  name: 'Clamp',
  category,
  parameters: [number('value'), number('min'), number('max')],
  returns: 'number',
  about: 'A number, limited to the range from a minimum to a maximum.',
  body(_, value, min, max) {
    if (min > max) {
      throw new ScriptFailure(
        'JM5002',
        `Clamp: the minimum ${numberToText(min)} is above the maximum ${numberToText(max)}`,
      )
    }
    if (value < min) return min
    return value > max ? max : value
  },
})

const randomInt = define({
  name: 'RandomInt',
  category,
  parameters: [number('left'), number('right')],
  returns: 'number',
  about: 'A random integer between two others, both included, from a secure source.',
  body(_, left, right) {
    const least = Math.trunc(left)
    const most = Math.trunc(right)
    if (Number.isSafeInteger(least) && Number.isSafeInteger(most) && least <= most)
      return randomBetween(least, most)
    throw new ScriptFailure(
      'JM5002',
      `RandomInt: there is no integer between ${numberToText(left)} and ${numberToText(right)}`,
    )
  },
})

/** Both ends, which are safe integers, are included. */
function randomBetween(least: number, most: number): number {
  const count = BigInt(most) - BigInt(least) + 1n
  return Number(BigInt(least) + below(count))
}

/** Drawn numbers beyond the last whole multiple of the count are dropped: they would favour small results. */
function below(count: bigint): bigint {
  const fair = 2n ** 64n - (2n ** 64n % count)
  for (;;) {
    const draw = getRandomValues(new BigUint64Array(1))[0] as bigint
    if (draw < fair) return draw % count
  }
}

export const mathematicsFunctions: readonly NativeFunction[] = [
  absolute,
  floor,
  ceiling,
  squareRoot,
  round,
  min,
  max,
  sum,
  average,
  median,
  mode,
  power,
  log,
  clamp,
  randomInt,
]
