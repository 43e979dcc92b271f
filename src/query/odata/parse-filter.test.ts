import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import type { Expr, FieldPath, Literal } from '../ast.ts'
import { defaultQueryLimits, type QueryLimits } from '../limits.ts'
import { parseFilter } from './parse-filter.ts'

const parse = (input: string, limits: Partial<QueryLimits> = {}) =>
  parseFilter(input, { ...defaultQueryLimits, ...limits })

/** The tree as nested brackets: every grouping shows, nothing depends on the printer. */
function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'and':
    case 'or':
      return `[${[expr.kind, ...expr.operands.map(shape)].join(' ')}]`
    case 'not':
      return `[not ${shape(expr.operand)}]`
    case 'compare':
      return `[${expr.operator} ${path(expr.field)} ${literal(expr.literal)}]`
    case 'in':
      return `[${[expr.negated ? 'nin' : 'in', path(expr.field), ...expr.items.map(literal)].join(' ')}]`
    case 'match':
      return `[${expr.function} ${path(expr.field)} ${JSON.stringify(expr.text)}]`
    case 'quantifier':
      return `[${expr.quantifier} ${path(expr.collection)}${expr.condition ? ` ${shape(expr.condition)}` : ''}]`
  }
}

const path = ({ names }: FieldPath) => names.map((n) => (n.quoted ? `<${n.name}>` : n.name)).join('/')

function literal(value: Literal): string {
  if (value.kind === 'text') return JSON.stringify(value.value)
  if (value.kind === 'number') return value.text
  return value.kind === 'boolean' ? String(value.value) : 'null'
}

function problemOf(read: () => unknown): QueryProblem {
  try {
    read()
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('parseFilter accepts', () => {
  const rows: readonly (readonly [input: string, tree: string])[] = [
    // operators
    ["a eq 'x'", '[eq a "x"]'],
    ["a ne 'x'", '[ne a "x"]'],
    ['a gt 1', '[gt a 1]'],
    ['a ge 1', '[ge a 1]'],
    ['a lt 1', '[lt a 1]'],
    ['a le 1', '[le a 1]'],
    ["A EQ 'x' AND b nE 1 oR NOT c gT 2", '[or [and [eq A "x"] [ne b 1]] [not [gt c 2]]]'],
    // literals
    ["a eq ''", '[eq a ""]'],
    ["a eq 'O''Hare'", '[eq a "O\'Hare"]'],
    ["a eq ''''", '[eq a "\'"]'],
    ["a eq 'and (b eq 1'", '[eq a "and (b eq 1"]'],
    ['a eq 0', '[eq a 0]'],
    ['a eq -12', '[eq a -12]'],
    ['a eq 0.00001', '[eq a 0.00001]'],
    ['a eq 007', '[eq a 007]'],
    ['a eq -1.5E+3', '[eq a -1.5E+3]'],
    ['a eq 1e-9999', '[eq a 1e-9999]'],
    ['a eq true', '[eq a true]'],
    ['a eq FALSE', '[eq a false]'],
    ['a eq Null', '[eq a null]'],
    ['a gt null', '[gt a null]'],
    // lists
    ['a in ()', '[in a]'],
    ["a in ('x')", '[in a "x"]'],
    ["a IN ( 'x' ,1, -2.5,true , null )", '[in a "x" 1 -2.5 true null]'],
    ["a nin('x','y')", '[nin a "x" "y"]'],
    // functions
    ["contains(a, 'x')", '[contains a "x"]'],
    ["StartsWith ( a , 'x' )", '[startswith a "x"]'],
    ["endswith(a.b,'')", '[endswith a/b ""]'],
    ["not contains(a, 'x')", '[not [contains a "x"]]'],
    // quantifiers
    ['any(lineItems)', '[any lineItems]'],
    ["any(lineItems, lineType eq 'FARE')", '[any lineItems [eq lineType "FARE"]]'],
    ['ALL(segments, a eq 1 and b eq 2)', '[all segments [and [eq a 1] [eq b 2]]]'],
    ['any(x, not (a eq 1)) or all(y, b eq 2)', '[or [any x [not [eq a 1]]] [all y [eq b 2]]]'],
    // precedence
    ['a eq 1 and b eq 2 and c eq 3', '[and [eq a 1] [eq b 2] [eq c 3]]'],
    ['a eq 1 or b eq 2 or c eq 3', '[or [eq a 1] [eq b 2] [eq c 3]]'],
    ['a eq 1 or b eq 2 and c eq 3', '[or [eq a 1] [and [eq b 2] [eq c 3]]]'],
    ['a eq 1 and b eq 2 or c eq 3 and d eq 4', '[or [and [eq a 1] [eq b 2]] [and [eq c 3] [eq d 4]]]'],
    ['(a eq 1 or b eq 2) and c eq 3', '[and [or [eq a 1] [eq b 2]] [eq c 3]]'],
    ['(a eq 1 and b eq 2) and c eq 3', '[and [and [eq a 1] [eq b 2]] [eq c 3]]'],
    ['not a eq 1 and b eq 2', '[and [not [eq a 1]] [eq b 2]]'],
    ['not a eq 1 or b eq 2', '[or [not [eq a 1]] [eq b 2]]'],
    ['not (a eq 1 and b eq 2)', '[not [and [eq a 1] [eq b 2]]]'],
    ['not not a in (1)', '[not [not [in a 1]]]'],
    ['((a eq 1))', '[eq a 1]'],
    ['not(a eq 1)', '[not [eq a 1]]'],
    // paths
    ["customDataFields.Kostenträger eq 'x'", '[eq customDataFields/Kostenträger "x"]'],
    ["customDataFields['Cost centre'] eq 'x'", '[eq customDataFields/<Cost centre> "x"]'],
    ["customDataFields . [ 'Cost centre' ] eq 'x'", '[eq customDataFields/<Cost centre> "x"]'],
    ["customDataFields['O''Hare'] eq 'x'", '[eq customDataFields/<O\'Hare> "x"]'],
    ["['and'] eq 1 and ['x'].y eq 2", '[and [eq <and> 1] [eq <x>/y 2]]'],
    ['a.b.c eq 1', '[eq a/b/c 1]'],
    ['asc eq 1 or customDataFields.Desc eq 2', '[or [eq asc 1] [eq customDataFields/Desc 2]]'],
    // blanks
    ["\ta\n eq\r\n'x' ", '[eq a "x"]'],
    ["a eq'x'and b eq-1", '[and [eq a "x"] [eq b -1]]'],
  ]
  for (const [input, tree] of rows) {
    it(JSON.stringify(input), () => assert.equal(shape(parse(input)), tree))
  }

  it('marks every node with the text it came from', () => {
    const input = " not (a.b eq 'x' or contains(['c'], 'y'))"
    const not = parse(input)
    assert.deepEqual(parse('(a eq 1) and (b eq 2)').span, { start: 0, end: 21 })
    assert.deepEqual(not.span, { start: 1, end: input.length })
    assert.ok(not.kind === 'not' && not.operand.kind === 'or')
    const [compare, match] = not.operand.operands
    assert.ok(compare?.kind === 'compare' && match?.kind === 'match')
    const text = ({ span }: { span: { start: number; end: number } }) => input.slice(span.start, span.end)
    assert.equal(text(not.operand), "a.b eq 'x' or contains(['c'], 'y')")
    assert.equal(text(compare), "a.b eq 'x'")
    assert.equal(text(compare.field), 'a.b')
    assert.equal(text(compare.literal), "'x'")
    assert.deepEqual(compare.field.names.map(text), ['a', 'b'])
    assert.deepEqual(match.field.names.map(text), ["['c']"])
    assert.equal(text(match), "contains(['c'], 'y')")
  })
})

describe('parseFilter refuses', () => {
  const literalAfter = (operator: string) =>
    `Expected a text, a number, true, false or null after ${operator}, found`
  const noCase = 'write the field alone: texts are compared without regard to letter case'
  const noCondition = 'a field alone is not a condition; write eq true if it is a boolean'
  const afterField = 'Expected an operator such as eq after the field, found'
  const doubled = "a quote within a text is written twice, as in 'O''Hare'"
  const orEnd = "Expected 'and', 'or' or the end of the value, found"
  const operators = 'eq, ne, gt, ge, lt, le, in or nin'
  const functions = 'contains, startswith, endswith, any or all'
  const straight = "write a text in straight single quotes, as in 'Sydney'"
  const number = 'Expected a number such as 12, -0.5 or 1e3, found'
  const rows: readonly (readonly [input: string, code: string, column: number, message: string])[] = [
    // empty values
    ['', 'QRY109', 0, 'Expected a condition, found nothing; leave $filter out if it is not needed'],
    [' \t ', 'QRY109', 0, 'Expected a condition, found nothing; leave $filter out if it is not needed'],
    ['not', 'QRY101', 3, 'Expected a field name, found the end of the value'],
    ['a eq', 'QRY101', 4, `${literalAfter('eq')} the end of the value`],
    ['a eq 1 and ', 'QRY101', 11, 'Expected a field name, found the end of the value'],
    ['()', 'QRY101', 1, "Expected a field name, found ')'"],
    // operators
    ['a', 'QRY101', 1, `${afterField} the end of the value; ${noCondition}`],
    ['isTicketed and b eq 1', 'QRY101', 11, `${afterField} 'and'; ${noCondition}`],
    ['(a)', 'QRY101', 2, `${afterField} ')'; ${noCondition}`],
    ["a eqq 'x'", 'QRY104', 2, `Unknown operator 'eqq', expected ${operators}; did you mean eq?`],
    ["a gte 'x'", 'QRY104', 2, `Unknown operator 'gte', expected ${operators}; write ge`],
    ["a LTE 'x'", 'QRY104', 2, `Unknown operator 'LTE', expected ${operators}; write le`],
    ["a neq 'x'", 'QRY104', 2, `Unknown operator 'neq', expected ${operators}; write ne`],
    ['a is null', 'QRY104', 2, `Unknown operator 'is', expected ${operators}; write eq null`],
    ['a is not null', 'QRY104', 2, `Unknown operator 'is', expected ${operators}; write ne null`],
    ["a is 'x'", 'QRY104', 2, `Unknown operator 'is', expected ${operators}; write eq`],
    ["a not in ('x')", 'QRY104', 2, `Unknown operator 'not', expected ${operators}; write nin`],
    ["a not eq 'x'", 'QRY104', 2, `Unknown operator 'not', expected ${operators}; write ne`],
    [
      "a not gt 'x'",
      'QRY104',
      2,
      `Unknown operator 'not', expected ${operators}; write not in front of the field`,
    ],
    ["a like 'x%'", 'QRY104', 2, `Unknown operator 'like', expected ${operators}; write contains(a, 'text')`],
    [
      'a.b between 1 and 2',
      'QRY104',
      4,
      `Unknown operator 'between', expected ${operators}; write a.b ge ... and a.b le ...`,
    ],
    ['a ga 1', 'QRY104', 2, `Unknown operator 'ga', expected ${operators}`],
    ["a resembles 'x'", 'QRY104', 2, `Unknown operator 'resembles', expected ${operators}`],
    ["a = 'x'", 'QRY101', 2, `${afterField} '='; write eq`],
    ["a == 'x'", 'QRY101', 2, `${afterField} '=='; write eq`],
    ["a != 'x'", 'QRY101', 2, `${afterField} '!='; write ne`],
    ['a<>1', 'QRY101', 1, `${afterField} '<>'; write ne`],
    ['a >= 1', 'QRY101', 2, `${afterField} '>='; write ge`],
    ['a<1', 'QRY101', 1, `${afterField} '<'; write lt`],
    [
      'a^EQ1',
      'QRY101',
      1,
      `${afterField} '^'; write ${operators.replace(' or ', ', ')} or contains; carets belong to version 1`,
    ],
    ['a%20eq 1', 'QRY101', 1, `${afterField} '%'; the value seems to be percent-encoded twice`],
    ['lineItems/quantity eq 1', 'QRY101', 9, `${afterField} '/'; the names of a path are joined by a dot`],
    ["a 'x'", 'QRY101', 2, `${afterField} the text 'x'`],
    // the right side
    [
      'a eq b',
      'QRY106',
      5,
      `${literalAfter('eq')} the name 'b'; a field cannot be compared with another field; write a text in single quotes`,
    ],
    [
      'a in (b)',
      'QRY106',
      6,
      "Expected a text, a number, true, false or null in the list of in, found the name 'b'; a field cannot be compared with another field; write a text in single quotes",
    ],
    [
      "a eq ('x', 'y')",
      'QRY101',
      5,
      `${literalAfter('eq')} '('; a list follows in or nin, and a single value has no parentheses`,
    ],
    [
      'a ge today()',
      'QRY106',
      5,
      `${literalAfter('ge')} the name 'today'; nothing is calculated here; write the value itself, such as '2026-01-31'`,
    ],
    ['a eq Yes', 'QRY106', 5, `${literalAfter('eq')} the name 'Yes'; write true`],
    ['a eq n', 'QRY106', 5, `${literalAfter('eq')} the name 'n'; write false`],
    ['a gt 1,000', 'QRY101', 6, `${orEnd} ','; write the number without separators of thousands`],
    ['a gt 1,b eq 2', 'QRY101', 6, `${orEnd} ','`],
    ['a eq "x"', 'QRY101', 5, `${literalAfter('eq')} '"'; ${straight}`],
    ['a eq \u2018x\u2019', 'QRY101', 5, `${literalAfter('eq')} '\u2018'; ${straight}`],
    [
      "a eq 'x",
      'QRY102',
      5,
      "Expected a closing quote for the text 'x', found the end of the value; a quote within a text is written twice, as in 'O''Hare'; in an address & is written %26 and # is written %23",
    ],
    ["a eq 'O'Hare'", 'QRY101', 8, `${orEnd} 'Hare'; ${doubled}`],
    ['a eq 12abc', 'QRY103', 5, `${number} '12abc'; write a text in single quotes`],
    ['a eq 1.', 'QRY103', 5, `${number} '1.'; write a text in single quotes`],
    ['a ge 2026-01-01', 'QRY103', 5, `${number} '2026-01-01'; write a date in single quotes`],
    [
      'a ge 2026-01-01T10:00Z and b eq 1',
      'QRY103',
      5,
      `${number} '2026-01-01T10:00Z'; write a date in single quotes`,
    ],
    ['a eq 1e10000', 'QRY103', 5, `${number} '1e10000'; the exponent lies between -9999 and 9999`],
    ['a eq .5', 'QRY101', 5, `${literalAfter('eq')} '.'; a number begins with a digit, as in 0.5`],
    ['a eq +5', 'QRY101', 5, `${literalAfter('eq')} '+'; a number carries no plus sign`],
    ['a eq - 5', 'QRY101', 5, `${literalAfter('eq')} '-'; write the minus sign directly before the digits`],
    // lists
    ["a in 'x'", 'QRY101', 5, "Expected '(' after in, found the text 'x'; a list is written ('A', 'B')"],
    ["a in ['x']", 'QRY101', 5, "Expected '(' after in, found '['; a list is written ('A', 'B')"],
    [
      "a in ('x',)",
      'QRY101',
      10,
      "Expected a text, a number, true, false or null in the list of in, found ')'",
    ],
    ["a nin ('x' 'y')", 'QRY101', 11, "Expected ',' or ')' in the list of nin, found the text 'y'"],
    ["a in ('x'", 'QRY101', 9, "Expected ',' or ')' in the list of in, found the end of the value"],
    ['a in (,)', 'QRY101', 6, "Expected a text, a number, true, false or null in the list of in, found ','"],
    // names
    [
      "'O''Hare' eq a",
      'QRY101',
      0,
      "Expected a field name, found the text 'O'Hare'; a label is written customDataFields['O''Hare']",
    ],
    [
      "a eq 'x' or 'y'",
      'QRY101',
      12,
      "Expected a field name, found the text 'y'; each condition names its field, as in a eq 1 or a eq 2; a in (1, 2) means the same",
    ],
    [
      'Cost Centre eq 1',
      'QRY104',
      5,
      `Unknown operator 'Centre', expected ${operators}; if it is a label, write customDataFields['Cost Centre']`,
    ],
    [
      'customDataFields.Département du Rhône ne null',
      'QRY104',
      29,
      `Unknown operator 'du', expected ${operators}; if it is a label, write customDataFields['Département du Rhône']`,
    ],
    [
      '1 eq a',
      'QRY101',
      0,
      "Expected a field name, found the number '1'; a name that does not begin with a letter is written ['1']",
    ],
    [
      "and eq 'x'",
      'QRY107',
      0,
      "Expected a field name, found the reserved word 'and'; write ['and'] if it is a name",
    ],
    [
      "x.IN eq 'x'",
      'QRY107',
      2,
      "Expected a field name, found the reserved word 'IN'; write ['IN'] if it is a name",
    ],
    [
      'null eq 1',
      'QRY107',
      0,
      "Expected a field name, found the reserved word 'null'; write ['null'] if it is a name",
    ],
    [
      'contains eq 1',
      'QRY107',
      0,
      "Expected a field name, found the reserved word 'contains'; write ['contains'] if it is a name",
    ],
    [
      'any eq 1',
      'QRY107',
      0,
      "Expected a field name, found the reserved word 'any'; write ['any'] if it is a name",
    ],
    ['a..b eq 1', 'QRY101', 2, "Expected a field name, found '.'"],
    [
      'a. eq 1',
      'QRY107',
      3,
      "Expected a field name, found the reserved word 'eq'; write ['eq'] if it is a name",
    ],
    [
      'x.2nd eq 1',
      'QRY101',
      2,
      "Expected a field name, found '2nd'; a name that does not begin with a letter is written ['2nd']",
    ],
    [
      'x[Cost] eq 1',
      'QRY101',
      2,
      "Expected a name in single quotes, found 'Cost'; write it like ['Cost centre']",
    ],
    ["x['Cost' eq 1", 'QRY101', 9, "Expected ']' after the name, found 'eq'"],
    [
      "x['Cost eq 1",
      'QRY102',
      2,
      "Expected a closing quote for the text 'Cost eq 1', found the end of the value; a quote within a text is written twice, as in 'O''Hare'; in an address & is written %26 and # is written %23",
    ],
    // functions
    [
      "contians(a,'x')",
      'QRY105',
      0,
      `Unknown function 'contians', expected ${functions}; did you mean contains?`,
    ],
    ["tolower(a) eq 'x'", 'QRY105', 0, `Unknown function 'tolower', expected ${functions}; ${noCase}`],
    [
      "contains(ToLower(a), 'x')",
      'QRY105',
      9,
      `Unknown function 'ToLower', expected ${functions}; ${noCase}`,
    ],
    [
      'year(a) eq 2026',
      'QRY105',
      0,
      `Unknown function 'year', expected ${functions}; write startswith with the field and '2026' or '2026-01', or compare it with dates`,
    ],
    ['length(a) gt 1', 'QRY105', 0, `Unknown function 'length', expected ${functions}`],
    [
      "contains('x', a)",
      'QRY101',
      9,
      "Expected a field name, found the text 'x'; write the field first, and then the text",
    ],
    [
      'contains(a, 5)',
      'QRY101',
      12,
      "Expected a text in single quotes to look for with contains, found the number '5'",
    ],
    [
      'contains(a, null)',
      'QRY101',
      12,
      "Expected a text in single quotes to look for with contains, found 'null'",
    ],
    ['contains(a)', 'QRY101', 10, "Expected ',' and a text after the field of contains, found ')'"],
    ["endswith(a, 'x', 'y')", 'QRY101', 15, "Expected ')' after the text of endswith, found ','"],
    [
      "contains(a, 'x') eq true",
      'QRY101',
      17,
      `${orEnd} 'eq'; this condition is complete; only a field is followed by an operator`,
    ],
    ["a contains 'x'", 'QRY101', 2, "Expected an operator, found 'contains'; write contains(a, 'text')"],
    // quantifiers
    ['any()', 'QRY101', 4, "Expected a field name, found ')'"],
    [
      'any(x a eq 1)',
      'QRY101',
      6,
      "Expected ',' and a condition, or ')' after the collection of any, found 'a'",
    ],
    ['any(x,)', 'QRY101', 6, "Expected a field name, found ')'"],
    ['all(x)', 'QRY101', 5, "Expected ',' and a condition after the collection of all, found ')'"],
    ['any(x, a eq 1', 'QRY101', 13, "Expected 'and', 'or' or ')', found the end of the value"],
    [
      'any(x, b eq 1 and all(y, a eq 1))',
      'QRY108',
      18,
      "Expected a condition on the element's own fields, found 'all' inside any or all; any and all do not nest",
    ],
    [
      'lineItems/any(l: l/a eq 1)',
      'QRY101',
      9,
      `${afterField} '/'; write any(lineItems, ...), where fields of the element have bare names`,
    ],
    // what follows a condition
    ['(a eq 1', 'QRY101', 7, "Expected 'and', 'or' or ')', found the end of the value"],
    ['a eq 1)', 'QRY101', 6, `${orEnd} ')'`],
    ['a eq 1 b eq 2', 'QRY101', 7, `${orEnd} 'b'`],
    ["a in ('O'Hare')", 'QRY101', 9, `Expected ',' or ')' in the list of in, found 'Hare'; ${doubled}`],
    [
      "contains(a, 'O'9')",
      'QRY101',
      15,
      `Expected ')' after the text of contains, found the number '9'; ${doubled}`,
    ],
    ["b['Manager's Approval'] eq 'x'", 'QRY101', 11, `Expected ']' after the name, found 's'; ${doubled}`],
    ['a eq 1 an b eq 2', 'QRY101', 7, `${orEnd} 'an'; did you mean and?`],
    ['a eq 1 && b eq 2', 'QRY101', 7, `${orEnd} '&&'; write and`],
    ['a eq 1; b eq 2', 'QRY101', 6, `${orEnd} ';'; conditions are joined by and, sort clauses by a comma`],
    ['a eq 1 not b eq 2', 'QRY101', 7, `${orEnd} 'not'`],
    ['!a eq 1', 'QRY101', 0, "Expected a field name, found '!'; write not"],
  ]
  for (const [input, code, column, message] of rows) {
    it(JSON.stringify(input), () => {
      const problem = problemOf(() => parse(input))
      assert.deepEqual(
        { ...problem, message: problem.message },
        { ...problem, code, column, message, parameter: '$filter', input },
      )
    })
  }

  for (const word of 'and or not eq ne gt ge lt le in nin contains startswith endswith any all true false null'.split(
    ' ',
  )) {
    it(`the reserved word ${word} as a bare name, but accepts it in brackets`, () => {
      assert.equal(problemOf(() => parse(`x.${word} eq 1`)).code, 'QRY107')
      assert.equal(shape(parse(`x['${word}'] eq 1`)), `[eq x/<${word}> 1]`)
    })
  }

  it('shortens what it quotes', () => {
    const problem = problemOf(() => parse(`a ${'q'.repeat(5000)} 1`))
    assert.ok(problem.message.length < 200)
    assert.match(problem.message, /^Unknown operator 'q{59}…', expected/)
  })
})

describe('parseFilter keeps to the limits', () => {
  const comparisons = (count: number) => Array.from({ length: count }, (_, i) => `a eq ${i}`).join(' and ')
  const parentheses = (count: number) => `${'('.repeat(count)}a eq 1${')'.repeat(count)}`
  const rows: readonly (readonly [
    what: string,
    within: string,
    beyond: string,
    code: string,
    column: number,
    message: string,
  ])[] = [
    [
      '500 nodes, an and of 499 comparisons included',
      comparisons(499),
      comparisons(500),
      'QRY312',
      comparisons(499).length + 5,
      'Expected at most 500 operators, functions and comparisons, found more; the limit is filterNodes = 500',
    ],
    [
      '64 parentheses',
      parentheses(64),
      parentheses(65),
      'QRY313',
      64,
      'Expected at most 64 levels of parentheses, not, any and all, found more; the limit is filterDepth = 64',
    ],
    [
      '64 times not',
      `${'not '.repeat(64)}a eq 1`,
      `${'not '.repeat(65)}a eq 1`,
      'QRY313',
      64 * 4,
      'Expected at most 64 levels of parentheses, not, any and all, found more; the limit is filterDepth = 64',
    ],
    [
      '63 parentheses around any',
      `${'('.repeat(63)}any(x, a eq 1)${')'.repeat(63)}`,
      `${'('.repeat(64)}any(x, a eq 1)${')'.repeat(64)}`,
      'QRY313',
      64,
      'Expected at most 64 levels of parentheses, not, any and all, found more; the limit is filterDepth = 64',
    ],
    [
      '1000 list items',
      `a in (${Array(1000).fill('1').join(',')})`,
      `a in (${Array(1001).fill('1').join(',')})`,
      'QRY314',
      2006,
      'Expected at most 1000 items in one list, found more; the limit is listItems = 1000',
    ],
  ]
  for (const [what, within, beyond, code, column, message] of rows) {
    it(`${what} and no more`, () => {
      assert.ok(parse(within))
      const problem = problemOf(() => parse(beyond))
      assert.equal(problem.code, code)
      assert.equal(problem.message, message)
      assert.equal(problem.column, column)
    })
  }

  it('as they are set', () => {
    assert.ok(parse('a eq 1 and b eq 2', { filterNodes: 3 }))
    assert.match(problemOf(() => parse('a eq 1 and b eq 2', { filterNodes: 2 })).message, /filterNodes = 2$/)
  })

  it('counting siblings at one depth', () => {
    assert.ok(parse(Array(100).fill('(a eq 1)').join(' or '), { filterDepth: 1 }))
  })
})

describe('parseFilter on hostile input', () => {
  function parsesOrRefuses(input: string): void {
    try {
      parse(input)
    } catch (problem) {
      assert.ok(problem instanceof QueryProblem, String(problem))
      assert.ok(problem.column !== undefined && problem.column >= 0 && problem.column <= input.length)
      assert.equal(problem.input, input)
    }
  }

  it('throws only problems within the text', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), parsesOrRefuses), {
      numRuns: 500,
    })
  })

  it('throws only problems for random sequences of its own tokens', () => {
    const soup =
      "and or not eq ne in nin contains any all true null a b.c (  ) , . [ ] ['x'] 'x' '' ' 1 -1.5e3 1x = \" \n"
    const token = fc.constantFrom(...soup.split(' '))
    const joined = fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(' '))
    fc.assert(fc.property(joined, parsesOrRefuses), { numRuns: 2000 })
  })

  for (const piece of ['(', 'not ', 'any(x,', 'a.', "a['x']", 'a eq 1 and ', '-', '\u0301', "''", '[']) {
    it(`survives ${JSON.stringify(piece)} a hundred thousand times`, () =>
      parsesOrRefuses(piece.repeat(100_000)))
  }
})
