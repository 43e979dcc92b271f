/**
 * The filter builder of the explorer loses nothing: whatever filter it reads, what it writes is parsed by the service as the
 * same tree: filters with names and values of the fixture, most of which it draws as rows, and filters that the service refuses.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  emptyElements,
  emptyGroup,
  emptyRow,
  type Item,
  pathOf,
  type Row,
  textLiteral,
  textOfTree,
  treeOf,
  treeOfText,
} from '../../console/src/explorer/filter/filter-tree.ts'
import type { Expr } from '../../src/query/ast.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseFilter } from '../../src/query/odata/parse-filter.ts'
import { repeated } from '../campaign.ts'
import { expectedLabels } from '../fixtures/expected-records.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { queriedRecords } from '../fixtures/queried-records.ts'
import { arbitraryFilter, arbitrarySlips } from './arbitrary-query.ts'

const limits = { ...defaultQueryLimits, filterNodes: 10_000, filterDepth: 1000 }

const withoutSpans = (expr: Expr): unknown =>
  JSON.parse(JSON.stringify(expr, (key, value) => (key === 'span' ? undefined : value)))

const kindsIn = (item: Item): readonly string[] => {
  if (item.kind === 'group') return [item.kind, ...item.items.flatMap(kindsIn)]
  return item.kind === 'elements' ? [item.kind, ...kindsIn(item.group)] : [item.kind]
}

describe('the filter builder', () => {
  for (const list of ['bookings', 'itineraries', 'invoices'] as const) {
    it(`writes the filter of ${list} that it has read`, () => {
      const records = queriedRecords(fixtureExtract, harbour, list)
      const scope = { dataset: list, labels: expectedLabels(fixtureExtract, harbour) }
      const slips = arbitrarySlips(records, scope).map(({ filter }) => filter as Expr)
      const drawn = new Set<string>()
      fc.assert(
        fc.property(fc.oneof(arbitraryFilter(records, scope), slips), (filter) => {
          const tree = treeOf(filter, list)
          for (const kind of kindsIn(tree)) drawn.add(kind)
          assert.deepEqual(withoutSpans(parseFilter(textOfTree(tree), limits)), withoutSpans(filter))
        }),
        { numRuns: repeated(300, 5000) },
      )
      const kinds = ['group', 'row', 'elements', 'text']
      assert.deepEqual([...drawn].toSorted(), kinds.toSorted())
    })
  }

  const rows = [
    ['', ''],
    ['isTicketed eq true', 'row'],
    ["not contains(traveller, 'lee')", 'row'],
    ["customDataFields['Cost Centre'] in ('a', 'b')", 'row'],
    ["customDataFields.Département eq 'a'", 'row'],
    ['authorisedBy eq null and authorisedBy ne null', 'row row'],
    ["segments.vendor eq 'QF'", 'row'],
    ["any(segments, status eq 'HK' or not (vendor eq 'QF'))", 'elements group row row'],
    ['any(segments)', 'elements group'],
    ['not not isTicketed eq true', 'group row'],
    ["segmentCount eq '4'", 'text'],
    ['department gt null', 'text'],
    ['department in (null)', 'text'],
    ["department in ('', 'a')", 'text'],
    ['department nin ()', 'text'],
    ["vendor eq 'QF'", 'text'],
    ["Traveller eq 'a'", 'text'],
    ['not department gt null', 'text'],
  ] as const
  for (const [text, kinds] of rows) {
    it(`draws ${text === '' ? 'no filter' : text} as ${kinds === '' ? 'nothing' : kinds}`, () => {
      const tree = treeOfText(text, 'itineraries')
      assert.equal(tree.items.flatMap(kindsIn).join(' '), kinds)
      const same = (each: string) => (each === '' ? null : withoutSpans(parseFilter(each, limits)))
      assert.deepEqual(same(textOfTree(tree)), same(text))
    })
  }
})

describe('a row of the filter builder', () => {
  const field = pathOf('department')
  const row = (changes: Partial<Row>): string =>
    textOfTree(emptyGroup([{ ...emptyRow(), field, ...changes }]))

  it('is no condition until it is complete', () => {
    assert.equal(row({ field: null }), '')
    for (const operator of ['eq', 'contains', 'in', 'nin'] as const) assert.equal(row({ operator }), '')
    assert.equal(row({ operator: 'empty' }), 'department eq null')
    assert.equal(row({ operator: 'nin', values: [textLiteral("O'Hare")] }), "department nin ('O''Hare')")
  })

  it('asks for elements without a condition, but not for all of them', () => {
    const some = emptyElements('segments')
    assert.equal(textOfTree(emptyGroup([some])), 'any(segments)')
    assert.equal(textOfTree(emptyGroup([{ ...some, quantifier: 'all' }])), '')
    assert.equal(textOfTree(emptyGroup([{ ...some, isNegated: true }])), 'not any(segments)')
  })
})
