import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FairTurns } from './fair-turns.ts'

const SHARE_MS = 3

/** Runs works that pause after each share of time until they have had their turns. @returns the owners in the order of turns */
function run(works: readonly { readonly owner: string; readonly turns: number }[], turns = new FairTurns()) {
  const order: string[] = []
  for (const { owner, turns: needed } of works) {
    let left = needed
    const goOn = () => {
      order.push(owner)
      turns.charge(owner, SHARE_MS)
      if (--left > 0) turns.pause(owner, goOn)
    }
    turns.pause(owner, goOn)
  }
  for (let next = turns.next(); next !== undefined; next = turns.next()) next()
  return order.join('')
}

const times = (owner: string, works: number, turns: number) =>
  Array.from({ length: works }, () => ({ owner, turns }))

describe('FairTurns', () => {
  it('gives the works of one owner their turns in the order in which they paused', () => {
    const turns = new FairTurns()
    const order: number[] = []
    for (const work of [1, 2, 3]) turns.pause('a', () => order.push(work))
    for (let next = turns.next(); next !== undefined; next = turns.next()) next()
    assert.deepEqual(order, [1, 2, 3])
    assert.equal(turns.hasPaused, false)
  })

  it('gives owners the same time, however many works each of them has', () => {
    assert.equal(run([...times('a', 4, 2), ...times('b', 1, 4)]), 'ababababaaaa')
  })

  it('lets an owner with few works go first, until the credit is used up', () => {
    const turns = new FairTurns()
    run(times('a', 1, 100), turns)
    // 100 ms are 34 turns of 3 ms; from then on they alternate.
    assert.match(run([...times('a', 4, 20), ...times('b', 1, 50)], turns), /^b{34,35}(ab){15,16}a{64,65}$/)
  })

  it('limits how much unused time an owner can save to the credit', () => {
    const turns = new FairTurns()
    run([...times('a', 1, 10_000), ...times('b', 1, 1)], turns)
    const order = run([...times('a', 1, 100), ...times('b', 1, 100)], turns)
    assert.match(order, /^b{34,35}(ab){65,66}a{34,35}$/)
  })

  it('gives no new credit to an owner that has used it and comes back at once', () => {
    const turns = new FairTurns()
    run(times('a', 1, 1000), turns)
    run([...times('a', 1, 40), ...times('b', 1, 74)], turns)
    assert.match(run([...times('a', 1, 10), ...times('b', 1, 10)], turns), /^[ab]?(ab){9}[ab]?$|^(ba){10}$/)
  })

  it('puts an owner back by at most the credit for time that no other owner wanted', () => {
    const turns = new FairTurns()
    // Short works, which end without a pause.
    for (let work = 0; work < 10_000; work++) turns.charge('a', SHARE_MS)
    const order = run([...times('a', 1, 100), ...times('b', 1, 200)], turns)
    assert.ok(order.indexOf('a') <= 70, `${order.indexOf('a')} turns`)
  })

  it('treats forgotten owners like new ones', () => {
    const turns = new FairTurns()
    run(times('a', 1, 1000), turns)
    for (let owner = 0; owner < 5000; owner++) run([{ owner: `owner ${owner}`, turns: 1 }], turns)
    assert.match(run([...times('a', 1, 10), ...times('new', 1, 10)], turns), /^newnew/)
  })

  it('gives every work all its turns, and no owner more than a credit ahead of another', () => {
    const works = fc.array(
      fc.record({ owner: fc.constantFrom('a', 'b', 'c'), turns: fc.integer({ min: 1, max: 60 }) }),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(works, works, (earlier, later) => {
        const turns = new FairTurns()
        run(earlier, turns)
        const order = run(later, turns)
        const needed = (owner: string) =>
          later.reduce((sum, one) => sum + (one.owner === owner ? one.turns : 0), 0)
        for (const owner of 'abc') assert.equal(order.split(owner).length - 1, needed(owner))
        // While both have work left, the time of one exceeds that of the other by no more than the credit and a turn.
        for (const [one, other] of ['ab', 'ac', 'bc', 'ba', 'ca', 'cb']) {
          let ahead = 0
          let left = [needed(one as string), needed(other as string)] as [number, number]
          for (const owner of order) {
            if (left[0] === 0 || left[1] === 0) break
            if (owner === one) ahead++
            if (owner === other) ahead--
            left = [left[0] - (owner === one ? 1 : 0), left[1] - (owner === other ? 1 : 0)]
            assert.ok(ahead * SHARE_MS <= 100 + 2 * SHARE_MS, `${ahead} turns ahead`)
          }
        }
      }),
    )
  })
})
