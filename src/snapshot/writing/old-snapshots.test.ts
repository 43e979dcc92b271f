import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { contentOf, oldSnapshots } from './old-snapshots.ts'

/** Each letter is the content of a snapshot, newest first; `-` is one that cannot be read. */
const snapshotsOf = (letters: string) =>
  [...letters].map((letter, number) => ({ id: `${100 - number}`, content: letter === '-' ? null : letter }))

describe('the snapshots that a refresh removes', () => {
  for (const [letters, keep, kept] of [
    ['ABCD', 2, 'AB..'],
    ['AAAB', 2, 'AA.B'],
    ['AABBCC', 2, 'AAB...'],
    ['AAAAAA', 3, 'AAA...'],
    ['ABAB', 3, 'ABA.'],
    ['AAABBBCD', 3, 'AAAB..C.'],
    ['--A', 1, '-..'],
    ['A--BC', 2, 'A-...'],
    ['AA', 1, 'A.'],
    ['', 1, ''],
  ] as const) {
    it(`of ${letters || 'none'} leave ${kept || 'none'} when ${keep} are kept`, () => {
      const old = new Set(oldSnapshots(snapshotsOf(letters), keep).map(({ id }) => id))
      const left = snapshotsOf(letters).map(({ id, content }) => (old.has(id) ? '.' : (content ?? '-')))
      assert.equal(left.join(''), kept)
    })
  }

  it('leave fewer than twice as many as are kept', () => {
    const letters = fc.string({ unit: fc.constantFrom('A', 'B', '-'), maxLength: 30 })
    fc.assert(
      fc.property(letters, fc.integer({ min: 1, max: 5 }), (letters, keep) => {
        const all = snapshotsOf(letters)
        assert.ok(all.length - oldSnapshots(all, keep).length < 2 * keep)
      }),
    )
  })
})

describe('the content of a snapshot', () => {
  const content = (names: Record<string, string>, versions: Record<string, string> = {}) =>
    contentOf(
      Object.entries(names).map(([clientNumber, name]) => ({ clientNumber, name })),
      (clientNumber, stored) => versions[`${clientNumber} ${stored}`] ?? 'v',
    )
  const same = content({ A: 'Anna', B: 'Ben' })

  it('is the same in any order of the clients', () => assert.equal(content({ B: 'Ben', A: 'Anna' }), same))

  for (const [what, other] of [
    ['a client more', content({ A: 'Anna', B: 'Ben', C: 'Cy' })],
    ['a client less', content({ A: 'Anna' })],
    ['another name', content({ A: 'Anna', B: 'Bob' })],
    ['other records', content({ A: 'Anna', B: 'Ben' }, { 'B invoices': 'w' })],
  ] as const) {
    it(`differs with ${what}`, () => assert.notEqual(other, same))
  }
})
