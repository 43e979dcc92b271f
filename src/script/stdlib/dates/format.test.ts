/** Every standard format and every run of letters of custom ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails, given, plainOf, run, testContext } from '../../testing/context.ts'
import { dateFunctions } from './dates.ts'

const now = Date.UTC(2026, 6, 4, 9, 8, 7, 65)

const call = (name: string, ...args: readonly unknown[]): unknown => {
  const found = dateFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return plainOf(run(found, args.map(given), testContext({ now: () => now })))
}

describe('FormatDate', () => {
  const date = '2024-03-05T14:07:09.0123400'
  const midnight = '0987-11-23'
  const rows: readonly (readonly [date: string, format: string, text: string])[] = [
    // Standard formats.
    [date, '', '03/05/2024 14:07:09'],
    [date, 'd', '03/05/2024'],
    [date, 'D', 'Tuesday, 05 March 2024'],
    [date, 't', '14:07'],
    [date, 'T', '14:07:09'],
    [date, 'f', 'Tuesday, 05 March 2024 14:07'],
    [date, 'F', 'Tuesday, 05 March 2024 14:07:09'],
    [date, 'g', '03/05/2024 14:07'],
    [date, 'G', '03/05/2024 14:07:09'],
    [date, 'M', 'March 05'],
    [date, 'm', 'March 05'],
    [date, 'Y', '2024 March'],
    [date, 'y', '2024 March'],
    [date, 's', '2024-03-05T14:07:09'],
    [date, 'u', '2024-03-05 14:07:09Z'],
    [date, 'o', '2024-03-05T14:07:09.0123400Z'],
    [date, 'O', '2024-03-05T14:07:09.0123400Z'],
    [date, 'r', 'Tue, 05 Mar 2024 14:07:09 GMT'],
    [date, 'R', 'Tue, 05 Mar 2024 14:07:09 GMT'],
    [date, 'U', 'Tuesday, 05 March 2024 14:07:09'],
    // Letters of custom formats, alone and in runs.
    [date, '%y', '24'],
    ['2005-01-01', '%y', '5'],
    [date, 'yy', '24'],
    ['2005-01-01', 'yy', '05'],
    [date, 'yyy', '2024'],
    [midnight, 'yyy', '987'],
    [midnight, 'yyyy', '0987'],
    [date, 'yyyyy', '02024'],
    [date, '%M', '3'],
    [date, 'MM', '03'],
    [date, 'MMM', 'Mar'],
    [date, 'MMMM', 'March'],
    [date, 'MMMMM', 'March'],
    [date, '%d', '5'],
    [date, 'dd', '05'],
    [date, 'ddd', 'Tue'],
    [date, 'dddd', 'Tuesday'],
    [date, '%H', '14'],
    [midnight, '%H', '0'],
    [midnight, 'HH', '00'],
    [date, '%h', '2'],
    [date, 'hh', '02'],
    [midnight, '%h', '12'],
    [date, '%m', '7'],
    [date, 'mm', '07'],
    [date, '%s', '9'],
    [date, 'ss', '09'],
    [date, '%f', '0'],
    [date, 'ff', '01'],
    [date, 'fff', '012'],
    [date, 'ffff', '0123'],
    [date, 'fffff', '01234'],
    [date, 'ffffff', '012340'],
    [date, 'fffffff', '0123400'],
    [date, '%F', ''],
    [date, 'FF', '01'],
    [date, 'FFFFFFF', '01234'],
    [date, 'ss.FFF', '09.012'],
    [date, 'ss.F', '09'],
    [date, 'ss..F', '09.'],
    [midnight, 'ss.FFFFFFF', '00'],
    [date, '%t', 'P'],
    [date, 'tt', 'PM'],
    [midnight, '%t', 'A'],
    [midnight, 'ttt', 'AM'],
    [date, '%K', 'Z'],
    [date, 'KK', 'ZZ'],
    [date, '%z', '+0'],
    [date, 'zz', '+00'],
    [date, 'zzz', '+00:00'],
    [date, 'zzzz', '+00:00'],
    [date, '%g', 'A.D.'],
    [date, 'gg', 'A.D.'],
    [date, 'HH:mm/ss', '14:07/09'],
    // All other characters stay as they are.
    [date, "yyyy'year'", '2024year'],
    [date, 'yyyy"y\'y"', "2024y'y"],
    [date, "'it\\'s'", "it's"],
    [date, "''d", '5'],
    [date, '\\d\\\\d', 'd\\5'],
    [date, 'dé-x,', '5é-x,'],
    [date, 'dd.MM.yyyy', '05.03.2024'],
    [date, 'yyyyMMddHHmmss', '20240305140709'],
    [date, '%d%M', '53'],
    [date, '  ', '  '],
    // Dates in another zone are written in UTC.
    ['2024-03-05T01:00+02:00', 's', '2024-03-04T23:00:00'],
    ['10:30', 'd', '07/04/2026'],
  ]
  for (const [text, format, expected] of rows) {
    it(`writes ${text} by ${JSON.stringify(format)} as ${expected}`, () => {
      assert.equal(call('FormatDate', text, format), expected)
    })
  }

  for (const format of [
    'x',
    'h',
    'K',
    ' ',
    '%',
    '\\',
    '%%',
    'dd%',
    'dd\\',
    "'open",
    '"open\'',
    "'a\\",
    '%%d',
    'ffffffff',
    'FFFFFFFF',
  ]) {
    it(`refuses the format ${JSON.stringify(format)}`, () => {
      fails('JM5801', () => call('FormatDate', date, format))
    })
  }

  it('does not read days before months, which ParseDate does', () => {
    fails('JM5802', () => call('FormatDate', '25/12/2024', 'd'))
  })

  it('checks the date before the format', () => fails('JM5802', () => call('FormatDate', 'x', 'x')))
})
