import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/fixtures/any-character.ts'
import { DetailedProblem } from '../kernel/problem.ts'
import { compareCodePoints } from '../kernel/text.ts'
import { pageOf } from './paging.ts'

type Item = { readonly group: string; readonly id: string }

const keyOf = ({ group, id }: Item): readonly string[] => [group, id]
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', '\u{1f600}', '￿', '"', ','),
  fc.string({ unit: anyCharacter }),
)
const items = fc.uniqueArray(fc.record({ group: text, id: text }), {
  selector: (item) => JSON.stringify(item),
  maxLength: 30,
})

function walk(limit: number, list: (page: number) => readonly Item[]): Item[] {
  const found: Item[] = []
  let after: string | undefined
  for (let number = 0; ; number++) {
    const { items, next } = pageOf(list(number), keyOf, { limit, after })
    assert.ok(items.length <= limit)
    found.push(...items)
    if (next === null) return found
    after = next
  }
}

describe('pages of a list', () => {
  it('give every item once, in the order of the keys', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 7 }), (all, limit) => {
        const found = walk(limit, () => all)
        assert.deepEqual(
          found,
          all.toSorted((a, b) => compareCodePoints(a.group, b.group) || compareCodePoints(a.id, b.id)),
        )
      }),
    )
  })

  it('neither repeat nor skip an item that stays, while other items come and go', () => {
    fc.assert(
      fc.property(items, items, fc.integer({ min: 1, max: 5 }), (staying, passing, limit) => {
        const stays = new Set(staying.map((item) => JSON.stringify(item)))
        const others = passing.filter((item) => !stays.has(JSON.stringify(item)))
        const found = walk(limit, (page) => (page % 2 === 0 ? [...others, ...staying] : staying))
        const texts = found.map((item) => JSON.stringify(item)).filter((item) => stays.has(item))
        assert.deepEqual(texts.toSorted(), [...stays].toSorted())
      }),
    )
  })

  it('end with the last item, also when it fills a page', () => {
    const two = [
      { group: 'a', id: '1' },
      { group: 'b', id: '2' },
    ]
    assert.equal(pageOf(two, keyOf, { limit: 2 }).next, null)
    assert.notEqual(pageOf(two, keyOf, { limit: 1 }).next, null)
  })

  for (const after of ['', 'x', '[]', 'e30', 'W10', 'WzFd', Buffer.from('["a').toString('base64url')]) {
    it(`refuse '${after}' as a cursor`, () => {
      assert.throws(
        () => pageOf([], keyOf, { limit: 1, after }),
        (error) => error instanceof DetailedProblem && error.details[0]?.path === '/after',
      )
    })
  }
})
