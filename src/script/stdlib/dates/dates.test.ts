/** Functions of dates: every unit and part, and what hostile texts do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ScriptProblemCode } from '../../script-problem.ts'
import { fails, given, plainOf, run, testContext } from '../../testing/context.ts'
import { dateFunctions } from './dates.ts'

const now = Date.UTC(2026, 6, 4, 9, 8, 7, 65)

const call = (name: string, ...args: readonly unknown[]): unknown => {
  const found = dateFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return plainOf(run(found, args.map(given), testContext({ now: () => now })))
}

describe('Now and Today', () => {
  it('tell the time of the run', () => {
    assert.equal(call('Now'), '2026-07-04T09:08:07.065Z')
    assert.equal(call('Today'), '2026-07-04')
  })
})

describe('DateAdd', () => {
  const rows: readonly (readonly [string, number, string, string])[] = [
    ['2024-01-31', 1, 'Month', '2024-02-29T00:00:00.000Z'],
    ['2023-01-31', 1, 'months', '2023-02-28T00:00:00.000Z'],
    ['2024-03-31', -1, 'month', '2024-02-29T00:00:00.000Z'],
    ['2024-01-15', -13, 'month', '2022-12-15T00:00:00.000Z'],
    ['2024-02-29', 1, 'year', '2025-02-28T00:00:00.000Z'],
    ['2024-02-29T10:00', -4, 'YEARS', '2020-02-29T10:00:00.000Z'],
    ['2024-02-28', 2, 'day', '2024-03-01T00:00:00.000Z'],
    ['2024-02-28', -59, 'days', '2023-12-31T00:00:00.000Z'],
    ['2024-02-28', 1, 'week', '2024-03-06T00:00:00.000Z'],
    ['2024-02-28', 0, 'weeks', '2024-02-28T00:00:00.000Z'],
    ['2024-02-28T23:30', 1, 'hour', '2024-02-29T00:30:00.000Z'],
    ['2024-02-28', -1, 'hours', '2024-02-27T23:00:00.000Z'],
    ['2024-02-28', 1441, 'minute', '2024-02-29T00:01:00.000Z'],
    ['2024-02-28', -1, 'minutes', '2024-02-27T23:59:00.000Z'],
    ['2024-02-28T00:00:00.9999', 86_399, 'second', '2024-02-28T23:59:59.999Z'],
    ['0001-01-01', 315_537_897_599, 'seconds', '9999-12-31T23:59:59.000Z'],
    ['9999-12-31', -87_649_391, 'hours', '0001-01-01T01:00:00.000Z'],
  ]
  for (const [date, amount, unit, sum] of rows) {
    it(`of ${amount} ${unit} to ${date} is ${sum}`, () =>
      assert.equal(call('DateAdd', date, amount, unit), sum))
  }

  const failures: readonly (readonly [ScriptProblemCode, string, number, string])[] = [
    ['JM5802', 'x', 1.5, 'x'],
    ['JM5803', '2024-01-01', 1.5, 'x'],
    ['JM5803', '2024-01-01', Number.NaN, 'day'],
    ['JM5803', '2024-01-01', Number.POSITIVE_INFINITY, 'day'],
    ['JM5804', '2024-01-01', 1, 'x'],
    ['JM5804', '2024-01-01', 1, 'dayss'],
    ['JM5804', '2024-01-01', 1, ''],
    ['JM5802', '25/12/2024', 1, 'day'],
    ...['days', 'weeks', 'months', 'years', 'hours', 'minutes', 'seconds'].flatMap(
      (unit) =>
        [
          ['JM5002', '2024-01-01', 1e12, unit],
          ['JM5002', '2024-01-01', -1e300, unit],
        ] as const,
    ),
    ['JM5002', '9999-12-31', 1, 'day'],
    ['JM5002', '0001-01-31', -1, 'month'],
  ]
  for (const [code, date, amount, unit] of failures) {
    it(`of ${amount} ${unit} to ${date} fails with ${code}`, () => {
      fails(code, () => call('DateAdd', date, amount, unit))
    })
  }

  it('is undone by the opposite, other than for months and years', () => {
    const units = fc.constantFrom('day', 'week', 'hour', 'minute', 'second')
    const instants = fc.integer({ min: Date.UTC(1600, 0, 1), max: Date.UTC(2400, 0, 1) })
    fc.assert(
      fc.property(instants, fc.integer({ min: -10_000, max: 10_000 }), units, (instant, amount, unit) => {
        const date = new Date(instant).toISOString()
        const sum = call('DateAdd', date, amount, unit)
        assert.equal(call('DateAdd', sum, -amount, unit), date)
        assert.equal(call('DateDiff', sum, date, unit), amount)
      }),
    )
  })
})

describe('DateDiff', () => {
  const rows: readonly (readonly [end: string, start: string, unit: string, difference: number])[] = [
    ['2024-03-01', '2024-02-01', 'days', 29],
    ['2024-03-01', '2024-02-01', 'week', 29 / 7],
    ['2024-03-01', '2024-02-01', 'months', 29 / 30.44],
    ['2024-03-01', '2024-02-01', 'Year', 29 / 365.25],
    ['2024-03-01', '2024-02-01', 'hours', 29 * 24],
    ['2024-03-01', '2024-02-01', 'minute', 29 * 1440],
    ['2024-03-01', '2024-02-01', 'SECONDS', 29 * 86_400],
    ['2024-02-01', '2024-02-01T12:00', 'day', -0.5],
    ['2024-02-01T00:00:00.0000001', '2024-02-01', 'second', 1e-7],
    ['9999-12-31', '0001-01-01', 'second', 3_652_058 * 86_400],
  ]
  for (const [end, start, unit, difference] of rows) {
    it(`from ${start} to ${end} is ${difference} ${unit}`, () => {
      assert.equal(call('DateDiff', end, start, unit), difference)
    })
  }

  it('looks at the end, the start and the unit in this order', () => {
    fails('JM5802', () => call('DateDiff', '2024-01-01', 'x', 'x'))
    fails('JM5804', () => call('DateDiff', '2024-01-01', '2024-01-01', 'x'))
    assert.throws(() => call('DateDiff', 'the end', 'the start', 'x'), { message: /'the end'/ })
  })
})

describe('DatePart', () => {
  const date = '2024-03-10T14:07:09.5'
  const rows: readonly (readonly [string, string, number])[] = [
    [date, 'year', 2024],
    [date, 'MONTH', 3],
    [date, 'Day', 10],
    [date, 'hour', 14],
    [date, 'minute', 7],
    [date, 'second', 9],
    [date, 'dayOfWeek', 0],
    ['2024-03-09', 'dayofweek', 6],
    [date, 'dayofyear', 70],
    ['2024-01-01', 'dayofyear', 1],
    ['2024-12-31', 'dayofyear', 366],
    ['0001-01-01', 'dayofweek', 1],
  ]
  for (const [text, part, value] of rows) {
    it(`${part} of ${text} is ${value}`, () => assert.equal(call('DatePart', text, part), value))
  }

  it('refuses an invalid date before an invalid part', () => {
    fails('JM5802', () => call('DatePart', 'x', 'x'))
    for (const part of ['x', 'days', 'week', '']) fails('JM5805', () => call('DatePart', date, part))
  })
})

describe('functions of dates', () => {
  it('never fail otherwise than by a problem, whatever the texts', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'2024-01/15T :.,ZGMJanuaryPM+0\'"\\%dfF'.split('')),
      maxLength: 25,
    })
    fc.assert(
      fc.property(texts, texts, (date, format) => {
        for (const [name, ...args] of [
          ['ParseDate', date],
          ['FormatDate', '2024-01-01', format],
          ['DatePart', date, 'year'],
        ] as const) {
          try {
            call(name, ...args)
          } catch (error) {
            assert.equal((error as Error).name, 'ScriptFailure')
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('count texts that they read', () => {
    const native = dateFunctions.find(({ name }) => name === 'ParseDate')
    assert.ok(native !== undefined)
    const context = testContext()
    fails('JM5800', () => run(native, [' '.repeat(1_000_000)], context))
    assert.ok(context.units >= 10_000)
  })

  it('count a long format before it is written', () => {
    const native = dateFunctions.find(({ name }) => name === 'FormatDate')
    assert.ok(native !== undefined)
    const format = 'gK'.repeat(100_000)
    fails('JM5910', () => run(native, ['2024-01-01', format], testContext({ mostBytes: 1_000_000 })))
  })
})
