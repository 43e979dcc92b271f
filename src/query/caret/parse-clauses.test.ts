import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { defaultQueryLimits, type QueryLimits } from '../limits.ts'
import { parseClauses } from './parse-clauses.ts'

const parse = (raw: string, limits: Partial<QueryLimits> = {}) =>
  parseClauses(raw, { ...defaultQueryLimits, ...limits })

function problemOf(raw: string, limits: Partial<QueryLimits> = {}): Problem {
  try {
    parse(raw, limits)
  } catch (problem) {
    assert.ok(problem instanceof Problem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

/** A clause as text: lists in brackets. */
const shown = (raw: string) =>
  parse(raw).map((clause) => {
    const value = 'items' in clause ? `[${clause.items.join('|')}]` : clause.value
    return `${clause.property} ${clause.operator} ${value}`
  })

describe('parseClauses accepts', () => {
  const rows: readonly (readonly [raw: string, ...clauses: readonly string[]])[] = [
    [''],
    ['  '],
    [';; %20;+;'],
    ['A^EQx', 'A EQ x'],
    ['A^EQx;B^NEy', 'A EQ x', 'B NE y'],
    [';A^EQx;;B^NEy; ', 'A EQ x', 'B NE y'],
    ['A^EQx;%20;+; %09;B^NEy', 'A EQ x', 'B NE y'],
    // every operator, in any letter case
    ['A^EQ1;A^NE1;A^GT1;A^LT1;A^GE1', 'A EQ 1', 'A NE 1', 'A GT 1', 'A LT 1', 'A GE 1'],
    ['A^LE1;A^IN1;A^NI1;A^CT1', 'A LE 1', 'A IN [1]', 'A NI [1]', 'A CT 1'],
    ['A^eqx;A^Nex;A^inx', 'A EQ x', 'A NE x', 'A IN [x]'],
    // two letters make the operator; what follows is the value
    ['A^EQUALx', 'A EQ UALx'],
    ['A^INSYD', 'A IN [SYD]'],
    ['A^eq=x', 'A EQ =x'],
    // only the first caret separates
    ['A^EQx^EQy', 'A EQ x^EQy'],
    ['A^EQ^', 'A EQ ^'],
    // blanks around property, value and items
    [' A ^EQ  Anna Smith ', 'A EQ Anna Smith'],
    ['A^IN x , y z ,, ,w', 'A IN [x|y z|w]'],
    ['A^EQ\u00a0x\t', 'A EQ x'],
    // commas separate in lists only
    ['A^EQx, y', 'A EQ x, y'],
    ['A^CT,', 'A CT ,'],
    // order operators take numbers and dates
    ['A^GT-1.5e3', 'A GT -1.5e3'],
    ['A^LT007', 'A LT 007'],
    ['A^GE2026-02-28', 'A GE 2026-02-28'],
    ['A^LE9999-12-31', 'A LE 9999-12-31'],
    ['A^GT1e9999', 'A GT 1e9999'],
    // names are not checked
    ['Travellers.Name^EQx', 'Travellers.Name EQ x'],
    ['^EQx', ' EQ x'],
  ]
  for (const [raw, ...clauses] of rows) {
    it(JSON.stringify(raw), () => assert.deepEqual(shown(raw), clauses))
  }
})

/** Encodes a parameter as axios does (its helpers/buildURL). */
const axios = (query: string) =>
  encodeURIComponent(query)
    .replaceAll('%3A', ':')
    .replaceAll('%24', '$')
    .replaceAll('%2C', ',')
    .replaceAll('%20', '+')

describe('encodings of a query', () => {
  const rows: readonly (readonly [sentBy: string, raw: string, ...clauses: readonly string[]])[] = [
    // a raw caret: separators are raw, and an encoded one belongs to its value
    ['curl', 'A^INx,y%2Cz;B^EQ1+2%2B3', 'A IN [x|y,z]', 'B EQ 1 2+3'],
    ['curl with every special character escaped', 'A^EQ%3B%2C%5E%25%20%2Bx', 'A EQ ;,^% +x'],
    ['curl with blanks at the edges', 'A^EQ%20x%20;%20B^IN+y%20,%20z', 'A EQ x', 'B IN [y|z]'],
    ['curl with an encoded property', '%41^EQx', 'A EQ x'],
    ['curl with an encoded operator', 'A^%45Qx', 'A EQ x'],
    ['curl with an accent', 'A^EQJos%C3%A9;B^EQJosé', 'A EQ José', 'B EQ José'],
    ['curl with a value that looks encoded', 'A^EQ%2541', 'A EQ %41'],
    // no raw caret or separator: decoded once, then the same
    [
      'URLSearchParams',
      new URLSearchParams({ q: 'A^INx,y;B^EQ1 2+3' }).toString().slice(2),
      'A IN [x|y]',
      'B EQ 1 2+3',
    ],
    ['encodeURIComponent', encodeURIComponent('A^INx,y;B^EQ1 2+3'), 'A IN [x|y]', 'B EQ 1 2+3'],
    ["Python's quote_plus", 'A%5EINx%2Cy%3BB%5EEQAnna+Smith', 'A IN [x|y]', 'B EQ Anna Smith'],
    ['a client with lower case escapes', 'A%5einx%2cy%3bB%5eeq1', 'A IN [x|y]', 'B EQ 1'],
    // encoded by hand, then by the library
    ['both', 'A%5EINx%2Cy%252Cz%3BB%5EEQ100%25', 'A IN [x|y,z]', 'B EQ 100%'],
    ['both, with every special character escaped', 'A%5EEQ%253B%252C%255E%2525%2520%252Bx', 'A EQ ;,^% +x'],
    ['both, with a plus sign', 'A%5EEQ1%2B1', 'A EQ 1+1'],
    ['both, with an accent', 'A%5EEQJos%25C3%25A9', 'A EQ José'],
    // a percent sign in a value that was encoded once
    ['URLSearchParams, and a percent sign', 'A%5EEQ100%25+off', 'A EQ 100% off'],
    ['URLSearchParams, and bytes that are not text', 'A%5EEQcaf%25E9', 'A EQ caf%E9'],
    // raw separators without raw carets: the carets were rewritten, other escapes were made by hand
    ['Python requests', 'A%5EINMarketing%2C%20Brand,Sales', 'A IN [Marketing, Brand|Sales]'],
    ['Python requests, with a semicolon', 'A%5EEQx%3By;B%5EEQ1', 'A EQ x;y', 'B EQ 1'],
    ['Python requests, with a semicolon in a list', 'A%5EINx,y%3Bz', 'A IN [x|y;z]'],
    ['Python requests, with a caret', 'A%5EEQx%5Ey;B%5EINx%5E,y', 'A EQ x^y', 'B IN [x^|y]'],
    ['Python requests, with a clause for a value', 'A%5EEQx%3BC%5EEQy;B%5EEQ1', 'A EQ x;C^EQy', 'B EQ 1'],
    ['Python requests, with a percent sign', 'A%5EEQ100%25+off;B%5EEQ1', 'A EQ 100% off', 'B EQ 1'],
    ['Python requests, with a plus sign and an accent', 'A%5EEQ1%2B1;B%5EEQ%C3%A9', 'A EQ 1+1', 'B EQ é'],
    ['Python requests, with a last semicolon', 'A%5EINx%2Cy;', 'A IN [x,y]'],
    [
      'a client with lower case escapes, rewriting carets',
      'A%5einx%2cy,z;;B%5eeq1',
      'A IN [x,y|z]',
      'B EQ 1',
    ],
    ['encodeURI', encodeURI('A^INx%2Cy,z;B^EQ1 2'), 'A IN [x,y|z]', 'B EQ 1 2'],
    ['encodeURI, every special character escaped', encodeURI('A^EQ%3B%2C%5E%25 %2Bx;'), 'A EQ ;,^% +x'],
    ['encodeURI, with accents', encodeURI('A^EQJos%C3%A9;B^EQJosé'), 'A EQ José', 'B EQ José'],
    ['encodeURI, with a percent sign', encodeURI('A^EQ100%;B^EQ1'), 'A EQ 100%', 'B EQ 1'],
    // no raw separator either: encoded as a whole
    ['Python requests, in vain', 'A%5EINx%2Cy', 'A IN [x|y]'],
    ['Python requests, encoded twice', 'A%5EINx%252Cy', 'A IN [x,y]'],
    // all but the commas
    ['axios', axios('A^INx,y;B^EQ1 2+3;'), 'A IN [x|y]', 'B EQ 1 2+3'],
    ['axios, with blank clauses', axios(';;A^INx,y; ; b ^ne1;'), 'A IN [x|y]', 'b NE 1'],
    ['axios, without a list', axios('A^EQx;B^EQSmith, Anna'), 'A EQ x', 'B EQ Smith, Anna'],
    ['axios, after encoding by hand', axios('A^INx%2Cy,z%3B;B^EQ%2C'), 'A IN [x,y|z;]', 'B EQ ,'],
    ['axios, a semicolon encoded by hand', axios('A^INx,y%3BB^EQ1'), 'A IN [x|y;B^EQ1]'],
  ]
  for (const [sentBy, raw, ...clauses] of rows) {
    it(`by ${sentBy}: ${raw}`, () => assert.deepEqual(shown(raw), clauses))
  }

  it('are never mixed: next to a raw caret an encoded one does not separate', () => {
    assert.deepEqual(shown('A^EQx%3BB%5EEQy'), ['A EQ x;B^EQy'])
    assert.equal(problemOf('A%5EEQx;B^EQy').code, 'QRY401')
  })

  it('apply to the whole query: next to raw separators encoded ones belong to the value', () => {
    assert.deepEqual(shown('A%5EINx%2Cy;B%5EEQ1'), ['A IN [x,y]', 'B EQ 1'])
    assert.deepEqual(shown('A%5EINw,x%2Cy%3BB%5EEQ1'), ['A IN [w|x,y;B^EQ1]'])
    assert.equal(problemOf('A%5EEQx;y').code, 'QRY401')
    assert.equal(problemOf('A%255EEQx;B%255EEQy').code, 'QRY401')
    assert.equal(problemOf('A%5EEQx;B%5EEQ%zz').code, 'QRY408')
  })

  it('do not change the number of clauses and items that the limits count', () => {
    assert.equal(problemOf('A^EQx;B^EQy;C^EQz', { filterNodes: 2 }).code, 'QRY412')
    assert.equal(problemOf('A%5EEQx%3BB%5EEQy', { filterNodes: 1 }).code, 'QRY412')
    assert.equal(problemOf('A^INx,y,z', { listItems: 2 }).code, 'QRY413')
  })

  it('do not hide a mistake after an encoded semicolon', () => {
    assert.equal(problemOf(axios('A^INx,y;B^XX1')).code, 'QRY402')
    assert.equal(problemOf(axios('A^INx,y;B^5')).code, 'QRY401')
  })

  it('are decoded once: a query that was encoded twice as a whole has no caret', () => {
    assert.equal(problemOf(encodeURIComponent(encodeURIComponent('A^EQx'))).code, 'QRY401')
  })
})

describe('parseClauses refuses', () => {
  const missing = 'Invalid query format: Missing operator.'
  const unknown = (letters: string) => `Invalid query format: Unknown operator '${letters}'.`
  const empty = (property: string) =>
    `Invalid query format: Argument for property '${property}' is null or empty.`
  const unordered = (operator: string, property: string, value: string) =>
    `Invalid query format: Expected numeric or date value for operator '^${operator}' on property '${property}', but got '${value}'.`
  const undecodable = (part: string) =>
    `Invalid query format: Expected percent-encoded UTF-8, but got '${part}'; a percent sign itself is written %25.`

  const rows: readonly (readonly [raw: string, code: string, message: string])[] = [
    // no operator
    ['A', 'QRY401', missing],
    ['A^', 'QRY401', missing],
    ['^', 'QRY401', missing],
    ['A^5', 'QRY401', missing],
    ['A^=x', 'QRY401', missing],
    ['A^ EQx', 'QRY401', missing],
    ['A^^EQx', 'QRY401', missing],
    ['A EQ x', 'QRY401', missing],
    ['A^EQx;B', 'QRY401', missing],
    // unknown operators, with the letters as written
    ['A^E', 'QRY402', unknown('E')],
    ['A^XXvalue', 'QRY402', unknown('XXvalue')],
    ['A^like%25x', 'QRY402', unknown('like')],
    ['A^SW2026', 'QRY402', unknown('SW')],
    ['A^ÄQx', 'QRY402', unknown('ÄQx')],
    ['A^ınx', 'QRY402', unknown('ınx')],
    ['A^E,Q', 'QRY402', unknown('E')],
    [`A^${'x'.repeat(100)}`, 'QRY402', unknown('x'.repeat(100))],
    // no value
    ['A^EQ', 'QRY403', empty('A')],
    [' bookingDATE ^EQ %20', 'QRY403', empty('bookingDATE')],
    ['A^GT', 'QRY403', empty('A')],
    ['A^IN', 'QRY403', empty('A')],
    ['A^NI , %20,+', 'QRY403', empty('A')],
    ['^CT', 'QRY403', empty('')],
    // neither a number nor a date after an order operator
    ['A^GTabc', 'QRY404', unordered('GT', 'A', 'abc')],
    ['aGE ^lt a b ', 'QRY404', unordered('LT', 'aGE', 'a b')],
    ['A^GEnull', 'QRY404', unordered('GE', 'A', 'null')],
    ['A^LE1,000', 'QRY404', unordered('LE', 'A', '1,000')],
    ['A^GT$5', 'QRY404', unordered('GT', 'A', '$5')],
    ["A^GT'5'", 'QRY404', unordered('GT', 'A', "'5'")],
    ['A^GT%2B5', 'QRY404', unordered('GT', 'A', '+5')],
    ['A^GT.5', 'QRY404', unordered('GT', 'A', '.5')],
    ['A^GT1e10000', 'QRY404', unordered('GT', 'A', '1e10000')],
    ['A^GT2026-02-30', 'QRY404', unordered('GT', 'A', '2026-02-30')],
    ['A^GT2026-1-1', 'QRY404', unordered('GT', 'A', '2026-1-1')],
    ['A^GT31/01/2026', 'QRY404', unordered('GT', 'A', '31/01/2026')],
    ['A^GT2026-01-01T10:00', 'QRY404', unordered('GT', 'A', '2026-01-01T10:00')],
    ['A^GTtrue', 'QRY404', unordered('GT', 'A', 'true')],
    // text that is not UTF-8
    ['A^EQ100%', 'QRY408', undecodable('%')],
    ['A^EQcaf%E9', 'QRY408', undecodable('%E9')],
    ['A%5EEQ%zz', 'QRY408', undecodable('%zz')],
  ]
  for (const [raw, code, message] of rows) {
    it(JSON.stringify(raw.slice(0, 40)), () => {
      const problem = problemOf(raw)
      assert.equal(problem.message, message)
      assert.deepEqual([problem.code, problem.name, problem.hint], [code, 'Problem', undefined])
    })
  }

  it('the first clause that cannot be read, regardless of the rest', () => {
    assert.equal(problemOf('A^GTx;B^XX;C').code, 'QRY404')
    assert.equal(problemOf('A^XX;B^EQ;C^GTx').code, 'QRY402')
    assert.equal(problemOf('A^EQ;B;C^XX').code, 'QRY403')
    assert.equal(problemOf('A;B^EQ%zz').code, 'QRY408')
  })
})

describe('limits of a query', () => {
  const message = (raw: string, limits: Partial<QueryLimits>) => problemOf(raw, limits).message

  it('hold for its decoded length', () => {
    assert.equal(parse(`A^EQ${'x'.repeat(8188)}`).length, 1)
    assert.equal(parse(`A^EQ${'%C3%A9'.repeat(8188)}`).length, 1)
    assert.equal(
      message(`A^EQ${'x'.repeat(8189)}`, {}),
      'Invalid query format: Expected at most 8192 characters in the query, but got more; the limit is parameterLength = 8192.',
    )
    assert.equal(problemOf(`A%5EEQ${'%25'.repeat(8189)}`).code, 'QRY411')
    assert.equal(problemOf('A^XXX', { parameterLength: 4 }).code, 'QRY411')
  })

  it('hold for its clauses, blank ones not counted', () => {
    assert.equal(parse(`${';'.repeat(7000)}${'A^EQx;'.repeat(3)}`, { filterNodes: 3 }).length, 3)
    assert.equal(
      message('A^EQx;B^EQx;;C^XX', { filterNodes: 2 }),
      'Invalid query format: Expected at most 2 clauses, but got more; the limit is filterNodes = 2.',
    )
  })

  it('hold for the items of one list, empty ones not counted', () => {
    assert.equal(parse('A^IN1,2,,3;B^NI1,2,3', { listItems: 3 }).length, 2)
    assert.equal(
      message('A^NI1,2,3', { listItems: 2 }),
      'Invalid query format: Expected at most 2 items in one list, but got more; the limit is listItems = 2.',
    )
    assert.equal(parse('A^EQ1,2,3', { listItems: 2 }).length, 1)
  })
})
