import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Expected, expectedAt } from './complete-filter.ts'

const written = (expected: Expected): string => {
  switch (expected.kind) {
    case 'condition':
      return `condition ${expected.collection ?? 'of records'} from ${expected.from}`
    case 'element':
      return `element ${expected.collection} from ${expected.from}`
    case 'operator':
    case 'value':
      return `${expected.kind} ${expected.place === undefined ? 'of nothing' : Object.values(expected.place).join(' ')} from ${expected.from}`
    case 'nothing':
      return 'nothing'
    default:
      return `${expected.kind} from ${expected.from}`
  }
}

describe('expectedAt', () => {
  const rows = [
    ['', 'condition of records from 0'],
    ['  ', 'condition of records from 2'],
    ['trav', 'condition of records from 0'],
    ['traveller ', 'operator field traveller text from 10'],
    ['traveller e', 'operator field traveller text from 10'],
    ['traveller eq ', 'value field traveller text from 13'],
    ["traveller eq 'Le", 'value field traveller text from 13'],
    ["traveller eq 'Lee'", 'connective from 18'],
    ["traveller eq 'Lee' a", 'connective from 19'],
    ["traveller eq 'Lee' and ", 'condition of records from 23'],
    ["traveller eq 'Lee' and not (dep", 'condition of records from 28'],
    ['segments.', 'element segments from 9'],
    ['segments.ven', 'element segments from 9'],
    ['segments.vendor ', 'operator element segments vendor text from 16'],
    ['customDataFields[', 'label from 0'],
    ["customDataFields['Cost", 'label from 0'],
    ['isTicketed eq true or customDataFields.', 'label from 22'],
    ["customDataFields['Cost Centre'] ", 'operator label Cost Centre from 32'],
    ["customDataFields['Cost Centre'] eq ", 'value label Cost Centre from 35'],
    ["department in ('a', ", 'value field department text from 20'],
    ["department in ('a') ", 'connective from 20'],
    ['contains(', 'condition of records from 9'],
    ['contains(traveller', 'condition of records from 9'],
    ['contains(traveller, ', 'value field traveller text from 20'],
    ["contains(traveller, 'x') and ", 'condition of records from 29'],
    ['any(', 'collection from 4'],
    ['any(seg', 'collection from 4'],
    ['any(segments, ', 'condition segments from 14'],
    ['any(segments, vendor eq ', 'value element segments vendor text from 24'],
    ["any(segments, contains(vendor, 'q') and ", 'condition segments from 40'],
    ["any(segments, vendor eq 'QF') and ", 'condition of records from 34'],
    ['nope eq ', 'value of nothing from 8'],
    ['nope.', 'nothing'],
  ] as const
  for (const [text, expected] of rows) {
    it(`is ${expected} after ${text === '' ? 'nothing' : text}`, () =>
      assert.equal(written(expectedAt(text, text.length, 'itineraries')), expected))
  }

  it('has an answer to whatever is written', () => {
    const piece = fc.constantFrom(
      ...[
        "'",
        '(',
        ')',
        ',',
        '.',
        '[',
        ']',
        ' ',
        'and',
        'any',
        'contains',
        'segments',
        'in',
        'eq',
        '1',
        "'x'",
      ],
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
        const text = pieces.join('')
        const expected = expectedAt(text, text.length, 'invoices')
        assert.ok(expected.kind === 'nothing' || expected.from <= text.length)
      }),
    )
  })
})
