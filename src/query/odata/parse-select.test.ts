import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { parseSelect } from './parse-select.ts'

const shown = (input: string) =>
  parseSelect(input).map(({ names }) => names.map(({ name }) => name).join('/'))

function problemOf(input: string): QueryProblem {
  try {
    parseSelect(input)
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('parseSelect accepts', () => {
  const rows: readonly (readonly [input: string, paths: readonly string[]])[] = [
    ['recordLocator', ['recordLocator']],
    [' recordLocator,bookingDate\t, isTicketed ', ['recordLocator', 'bookingDate', 'isTicketed']],
    ['*', ['*']],
    ['*, currencyCode', ['*', 'currencyCode']],
    ['lineItems.lineType', ['lineItems/lineType']],
    ["customDataFields['Cost centre']", ['customDataFields/Cost centre']],
    [
      "customDataFields['a,b'],customDataFields['O''Hare']",
      ['customDataFields/a,b', "customDataFields/O'Hare"],
    ],
    ["customDataFields['*'],['*']", ['customDataFields/*', '*']],
    ['customDataFields.and,or,not,desc', ['customDataFields/and', 'or', 'not', 'desc']],
    ['a,a', ['a', 'a']],
  ]
  for (const [input, paths] of rows) {
    it(JSON.stringify(input), () => assert.deepEqual(shown(input), paths))
  }

  it('marks every path with the text it came from, and whether its name is quoted', () => {
    const paths = parseSelect(" a , * ,['*']")
    assert.deepEqual(
      paths.map(({ span, names }) => [span, names[0]?.quoted]),
      [
        [{ start: 1, end: 2 }, false],
        [{ start: 5, end: 6 }, false],
        [{ start: 8, end: 13 }, true],
      ],
    )
  })
})

describe('parseSelect refuses', () => {
  const nothing =
    'Expected the names of fields, separated by commas, found nothing; leave $select out if it is not needed'
  const rows: readonly (readonly [input: string, code: string, column: number, message: string])[] = [
    ['', 'QRY109', 0, nothing],
    ['  ', 'QRY109', 0, nothing],
    ['a,', 'QRY101', 2, 'Expected a field name, found the end of the value'],
    [',a', 'QRY101', 0, "Expected a field name, found ','"],
    [
      'a, Cost Centre, b',
      'QRY101',
      8,
      "Expected ',' or the end of the value, found 'Centre'; names are separated by commas; if it is a label, write customDataFields['Cost Centre']",
    ],
    ['**', 'QRY101', 1, "Expected ',' or the end of the value, found '*'"],
    ['lineItems.*', 'QRY101', 10, "Expected a field name, found '*'"],
    [
      'lineItems/lineType',
      'QRY101',
      9,
      "Expected ',' or the end of the value, found '/'; the names of a path are joined by a dot",
    ],
    ["'a'", 'QRY101', 0, "Expected a field name, found the text 'a'"],
    ["a['b", 'QRY102', 2, "Expected a closing quote for the text 'b', found the end of the value"],
    [
      '1a',
      'QRY101',
      0,
      "Expected a field name, found '1a'; a name that does not begin with a letter is written ['1a']",
    ],
  ]
  for (const [input, code, column, message] of rows) {
    it(JSON.stringify(input), () => {
      const problem = problemOf(input)
      assert.deepEqual([problem.code, problem.column, problem.parameter], [code, column, '$select'])
      assert.ok(problem.message.startsWith(message), problem.message)
    })
  }

  it('anything else with a problem within the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (input) => {
        try {
          parseSelect(input)
        } catch (problem) {
          assert.ok(problem instanceof QueryProblem, String(problem))
          assert.ok((problem.column ?? -1) >= 0 && (problem.column ?? 0) <= input.length)
        }
      }),
    )
  })
})
