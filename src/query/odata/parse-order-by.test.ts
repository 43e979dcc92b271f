import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { defaultQueryLimits } from '../limits.ts'
import { parseOrderBy } from './parse-order-by.ts'

const parse = (input: string) => parseOrderBy(input, defaultQueryLimits)

const shown = (input: string) =>
  parse(input).map(({ field, direction }) => `${field.names.map(({ name }) => name).join('/')} ${direction}`)

function problemOf(read: () => unknown): QueryProblem {
  try {
    read()
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('parseOrderBy accepts', () => {
  const rows: readonly (readonly [input: string, clauses: readonly string[]])[] = [
    ['bookingDate', ['bookingDate asc']],
    ['bookingDate asc', ['bookingDate asc']],
    ['bookingDate DESC', ['bookingDate desc']],
    [' a desc,b , c\tASC ', ['a desc', 'b asc', 'c asc']],
    ["customDataFields['Cost centre'] desc", ['customDataFields/Cost centre desc']],
    ["customDataFields['O''Hare']desc", ["customDataFields/O'Hare desc"]],
    ["['desc'] desc", ['desc desc']],
    ['lineItems.quantity', ['lineItems/quantity asc']],
    ['a,a', ['a asc', 'a asc']],
  ]
  for (const [input, clauses] of rows) {
    it(JSON.stringify(input), () => assert.deepEqual(shown(input), clauses))
  }

  it('marks every field with the text it came from', () => {
    const spans = parse(' a , b.c desc').map(({ field }) => field.span)
    assert.deepEqual(spans, [
      { start: 1, end: 2 },
      { start: 5, end: 8 },
    ])
  })
})

describe('parseOrderBy refuses', () => {
  const afterField = "Expected asc, desc, ',' or the end of the value, found"
  const rows: readonly (readonly [input: string, code: string, column: number, message: string])[] = [
    ['', 'QRY109', 0, 'Expected a sort clause, found nothing; leave $orderby out if it is not needed'],
    ['  ', 'QRY109', 0, 'Expected a sort clause, found nothing; leave $orderby out if it is not needed'],
    ['a,', 'QRY101', 2, 'Expected a field name, found the end of the value'],
    [',a', 'QRY101', 0, "Expected a field name, found ','"],
    ['a,,b', 'QRY101', 2, "Expected a field name, found ','"],
    ['-a', 'QRY101', 0, "Expected a field name, found '-'; write desc after the field instead"],
    [
      'desc',
      'QRY107',
      0,
      "Expected a field name, found the reserved word 'desc'; write ['desc'] if it is a name",
    ],
    [
      'a.asc',
      'QRY107',
      2,
      "Expected a field name, found the reserved word 'asc'; write ['asc'] if it is a name",
    ],
    [
      'a.in',
      'QRY107',
      2,
      "Expected a field name, found the reserved word 'in'; write ['in'] if it is a name",
    ],
    ['a dsc', 'QRY101', 2, `${afterField} 'dsc'; write desc`],
    ['a des', 'QRY101', 2, `${afterField} 'des'; did you mean desc?`],
    ['a Descending', 'QRY101', 2, `${afterField} 'Descending'; write desc`],
    [
      'Cost Centre desc',
      'QRY101',
      5,
      `${afterField} 'Centre'; if it is a label, write customDataFields['Cost Centre']`,
    ],
    ['a asc desc', 'QRY101', 6, "Expected ',' or the end of the value, found 'desc'"],
    ['a; b', 'QRY101', 1, `${afterField} ';'; conditions are joined by and, sort clauses by a comma`],
    [
      "'a'",
      'QRY101',
      0,
      "Expected a field name, found the text 'a'; a label is written customDataFields['a']",
    ],
    [
      "a['b",
      'QRY102',
      2,
      "Expected a closing quote for the text 'b', found the end of the value; a quote within a text is written twice, as in 'O''Hare'; in an address & is written %26 and # is written %23",
    ],
  ]
  for (const [input, code, column, message] of rows) {
    it(JSON.stringify(input), () => {
      const problem = problemOf(() => parse(input))
      assert.deepEqual(
        { ...problem, message: problem.message },
        { ...problem, code, column, message, parameter: '$orderby', input },
      )
    })
  }

  it('a ninth clause', () => {
    assert.equal(parse('a,b,c,d,e,f,g,h').length, 8)
    const problem = problemOf(() => parse('a,b,c,d,e,f,g,h,i'))
    assert.equal(problem.code, 'QRY315')
    assert.equal(problem.column, 16)
    assert.equal(problem.message, 'Expected at most 8 sort clauses, found more; the limit is sortClauses = 8')
  })

  it('random text with problems within the text only', () => {
    const token = fc.constantFrom('a', 'b.c', 'asc', 'DESC', ',', '.', "['x']", '[', "'", '1', ' ', '-')
    const soup = fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join(' '))
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: anyCharacter })), (input) => {
        try {
          parse(input)
        } catch (problem) {
          assert.ok(problem instanceof QueryProblem, String(problem))
          assert.ok(problem.column !== undefined && problem.column >= 0 && problem.column <= input.length)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
