import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { version1Datasets } from '../../schema/datasets.ts'
import { defaultQueryLimits } from '../limits.ts'
import { parseVersion1Parameters } from './parameters.ts'

type Pairs = readonly (readonly [name: string, rawValue: string])[]

const parse = (...pairs: Pairs) =>
  parseVersion1Parameters(pairs, version1Datasets.bookings, defaultQueryLimits)

describe('parseVersion1Parameters', () => {
  it('selects the first ten of all records for no parameters', () => {
    assert.deepEqual(parse(), {
      query: { filter: null, orderBy: [], paging: { offset: 0, limit: 10 }, select: null },
      unknown: [],
    })
  })

  for (const name of ['query', 'Query', 'QUERY']) {
    it(`reads ${name} as clauses`, () => {
      const { query, unknown } = parse([name, 'IsTicketed%5EEQ1'])
      assert.deepEqual([query.filter?.kind, unknown], ['compare', []])
    })
  }

  for (const blank of ['', ';', '%20', '+']) {
    it(`reads '${blank}' as no filter`, () => assert.equal(parse(['query', blank]).query.filter, null))
  }

  it('returns unknown names in their order, each once', () => {
    const { query, unknown } = parse(
      ['$query', 'IsTicketed^XX'],
      ['Traveller^EQAnna', ''],
      ['pageSize', '5'],
      ['$query', ''],
      ['PageSize', '5'],
      ['', ''],
      ['Fetch', '5'],
      ['$fetch', '7'],
    )
    assert.deepEqual(unknown, ['$query', 'Traveller^EQAnna', 'pageSize', 'PageSize', '', '$fetch'])
    assert.deepEqual(query, { filter: null, orderBy: [], paging: { offset: 0, limit: 5 }, select: null })
  })

  it('refuses a second query, before it reads the first', () => {
    const twice = () => parse(['query', 'unreadable'], ['QUERY', 'IsTicketed^EQ1'])
    assert.throws(twice, (problem) => {
      assert.ok(problem instanceof Problem)
      assert.equal(problem.code, 'QRY409')
      assert.equal(
        problem.message,
        "Invalid query format: Expected parameter 'query' once, but got it again; clauses are joined by ';'.",
      )
      return true
    })
    assert.throws(() => parse(['query', ''], ['query', '']), { code: 'QRY409' })
  })
})

describe('paging', () => {
  const { MAX_SAFE_INTEGER } = Number
  const rows: readonly (readonly [value: string, fetch: number, offset: number])[] = [
    ['1', 1, 1],
    ['25', 25, 25],
    ['100', 100, 100],
    ['101', 100, 101],
    ['007', 7, 7],
    ['%205+', 5, 5],
    ['%37', 7, 7],
    ['9007199254740991', 100, MAX_SAFE_INTEGER],
    ['9007199254740992', 100, MAX_SAFE_INTEGER],
    ['9'.repeat(400), 100, MAX_SAFE_INTEGER],
    // below 1
    ['0', 10, 0],
    ['000', 10, 0],
    ['-1', 10, 0],
    ['-999', 10, 0],
    // no whole numbers
    ['', 10, 0],
    ['+', 10, 0],
    ['abc', 10, 0],
    ['all', 10, 0],
    ['5.5', 10, 0],
    ['1e2', 10, 0],
    ['0x10', 10, 0],
    ['1,000', 10, 0],
    ['1 0', 10, 0],
    ['%2B5', 10, 0],
    ['Infinity', 10, 0],
    ['\u0665', 10, 0],
    // no text at all
    ['5%', 10, 0],
    ['%E9', 10, 0],
  ]
  for (const [value, fetch, offset] of rows) {
    it(`of '${value.slice(0, 20)}' fetches ${fetch} and skips ${offset}`, () => {
      assert.deepEqual(parse(['fetch', value]).query.paging, { offset: 0, limit: fetch })
      assert.deepEqual(parse(['OFFSET', value]).query.paging, { offset, limit: 10 })
    })
  }

  it('takes the first of several', () => {
    const pairs: Pairs = [
      ['fetch', '5'],
      ['offset', 'x'],
      ['Fetch', '6'],
      ['offset', '7'],
    ]
    assert.deepEqual(parse(...pairs), {
      query: { filter: null, orderBy: [], paging: { offset: 0, limit: 5 }, select: null },
      unknown: [],
    })
  })
})
