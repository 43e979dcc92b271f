import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { pageLinks, partLinks } from './page-links.ts'
import { readParameters } from './query-parameters.ts'

/** The references by relation. */
function linksOf(header: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(header.matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, reference, relation]) => [
      relation,
      reference,
    ]),
  )
}

describe('the links of a page', () => {
  const relations: readonly (readonly [page: number, total: number, links: string])[] = [
    [1, 0, 'first 1, last 1'],
    [1, 1, 'first 1, last 1'],
    [1, 10, 'first 1, last 1'],
    [1, 11, 'next 2, first 1, last 2'],
    [2, 11, 'prev 1, first 1, last 2'],
    [2, 30, 'next 3, prev 1, first 1, last 3'],
    [9, 30, 'prev 3, first 1, last 3'],
    [9, 0, 'prev 1, first 1, last 1'],
  ]
  for (const [page, total, links] of relations) {
    it(`are ${links} on page ${page} of ${total} records in pages of 10`, () => {
      const header = pageLinks(`page=${page}&pageSize=10`, { page, pageSize: 10 }, total)
      assert.equal(
        header,
        links.replace(/(\w+) (\d+)/g, (_, relation, to) => `<?page=${to}&pageSize=10>; rel="${relation}"`),
      )
    })
  }

  const spellings: readonly (readonly [query: string, next: string])[] = [
    ['$page=1&$pageSize=10', '?$page=2&$pageSize=10'],
    ['%24page=1&%24pageSize=10', '?%24page=2&%24pageSize=10'],
    ['PAGE=1&pagesize=10', '?PAGE=2&pagesize=10'],
    ['pageSize=10', '?pageSize=10&page=2'],
    ['$pageSize=10', '?$pageSize=10&$page=2'],
    ['%24PAGESIZE=10', '?%24PAGESIZE=10&%24page=2'],
    ['%70age=1', '?%70age=2'],
    ['x=1&&page=1&y', '?x=1&&page=2&y'],
    ['filter=a+eq%20%27b%26c%27&page=01', '?filter=a+eq%20%27b%26c%27&page=2'],
    ["filter=a eq 'b'&page=1", "?filter=a%20eq%20'b'&page=2"],
    ['x=<a>"\\^`{|}&page=1', '?x=%3Ca%3E%22%5C%5E%60%7B%7C%7D&page=2'],
    ['x=\xc3\xa4&page=1', '?x=%C3%A4&page=2'],
  ]
  for (const [query, next] of spellings) {
    it(`keep the spelling of ${query}`, () => {
      assert.equal(linksOf(pageLinks(query, { page: 1, pageSize: 10 }, 100)).next, next)
    })
  }

  const slices: readonly (readonly [
    query: string,
    offset: number,
    limit: number,
    total: number,
    next: string | undefined,
  ])[] = [
    ['$top=10', 0, 10, 25, '?$top=10&$skip=10'],
    ['top=10&skip=10', 10, 10, 25, '?top=10&skip=20'],
    ['%24skip=3&%24TOP=9', 3, 9, 25, '?%24skip=12&%24TOP=9'],
    ['$skip=20&$top=10', 20, 10, 25, undefined],
    ['$skip=15&$top=10', 15, 10, 25, undefined],
    ['$skip=90&$top=10', 90, 10, 25, undefined],
    ['$top=0', 0, 0, 25, undefined],
    ['$top=600', 0, 500, 1000, '?$top=600&$skip=500'],
  ]
  for (const [query, offset, limit, total, next] of slices) {
    it(`of ${query} name the next records of ${total}`, () => {
      const header = partLinks(query, { page: null, slice: { offset, limit } }, total)
      assert.deepEqual(linksOf(header), next === undefined ? {} : { next })
    })
  }

  it('are none for a whole list', () => assert.equal(partLinks('', { page: null, slice: null }, 9), ''))

  it('name at least the next page, however long the query is', () => {
    const query = `filter=${'x'.repeat(3000)}&page=2`
    const page = { page: 2, pageSize: 10 }
    assert.deepEqual(Object.keys(linksOf(pageLinks(query, page, 100))), ['next'])
    assert.equal(pageLinks(query, page, 20), '')
  })

  it('change nothing but the number of the page, whatever the other parameters are', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 5 })
    const others = fc
      .array(fc.tuple(text, text), { maxLength: 5 })
      .map((pairs) => pairs.filter(([name]) => !/^\$?page/i.test(name)))
    fc.assert(
      fc.property(others, others, (before, after) => {
        const query = (page: string) => new URLSearchParams([...before, ['$page', page], ...after]).toString()
        const { next = '', last = '' } = linksOf(pageLinks(query('1'), { page: 1, pageSize: 1 }, 7))
        assert.deepEqual(readParameters(next), readParameters(`?${query('2')}`))
        assert.deepEqual(readParameters(last), readParameters(`?${query('7')}`))
      }),
    )
  })
})
