import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DeficitRoundRobin } from './deficit-round-robin.ts'

const options = { quantum: 10, leastCost: 1, mostDebt: 100 }

/** Serves this many items and charges each its cost beyond the least. */
function serve(queue: DeficitRoundRobin<Item>, times: number): Item[] {
  const served: Item[] = []
  for (let i = 0; i < times; i++) {
    const item = queue.next()
    if (item === undefined) break
    queue.charge(item.owner, item.cost - options.leastCost)
    served.push(item)
  }
  return served
}

type Item = { readonly owner: string; readonly cost: number; readonly number: number }

const itemOf = (owner: string, cost: number, number = 0): Item => ({ owner, cost, number })

describe('deficit round robin', () => {
  it('serves owners in turn, and items of one owner in order, urgent ones first', () => {
    const queue = new DeficitRoundRobin<string>(options)
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item)
    queue.add('a', 'a-urgent-1', true)
    queue.add('a', 'a-urgent-2', true)
    const order = Array.from({ length: 8 }, () => queue.next())
    assert.deepEqual(order, ['a-urgent-1', 'b1', 'c1', 'a-urgent-2', 'b2', 'a1', 'a2', 'a3'])
    assert.equal(queue.next(), undefined)
    assert.equal(queue.isEmpty, true)
  })

  it('gives an owner with short items many of them for one long item of another', () => {
    const queue = new DeficitRoundRobin<Item>(options)
    for (let i = 0; i < 100; i++) {
      queue.add('short', itemOf('short', 1))
      queue.add('long', itemOf('long', 50))
    }
    const order = serve(queue, 60).map(({ owner }) => owner)
    const [first = -1, second = -1] = order.flatMap((owner, i) => (owner === 'long' ? [i] : []))
    const between = second - first - 1
    assert.ok(between >= 40 && between <= 50, `${between} short items between two long ones`)
  })

  it('leaves out what may not be served, without letting later items of the same owner overtake it', () => {
    const queue = new DeficitRoundRobin<string>(options)
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.charAt(0), item)
    assert.equal(
      queue.next((item) => item !== 'a1'),
      'b1',
    )
    assert.equal(
      queue.next((item) => item !== 'a1'),
      undefined,
    )
    queue.delete('a', 'a1')
    assert.equal(
      queue.next((item) => item !== 'a1'),
      'a2',
    )
  })

  /** Owners with the costs of their items, in the order in which each adds them; a null serves one item. */
  const histories = fc.array(
    fc.oneof(
      fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd'), cost: fc.integer({ min: 1, max: 500 }) }),
      fc.constant(null),
    ),
    { maxLength: 200 },
  )

  it('serves each item once, in the order of its owner', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const queue = new DeficitRoundRobin<Item>(options)
        const expected = new Map<string, number[]>()
        const served: Item[] = []
        for (const [number, step] of history.entries()) {
          if (step === null) served.push(...serve(queue, 1))
          else {
            queue.add(step.owner, itemOf(step.owner, step.cost, number))
            expected.set(step.owner, [...(expected.get(step.owner) ?? []), number])
          }
        }
        served.push(...serve(queue, history.length))
        assert.equal(queue.isEmpty, true)
        for (const [owner, numbers] of expected) {
          assert.deepEqual(
            served.filter((item) => item.owner === owner).map(({ number }) => number),
            numbers,
          )
        }
      }),
    )
  })

  it('serves an owner that waits within a bounded number of items, whatever the others do', () => {
    const owners = 4
    // Until its debt is paid, each of the others can have as many items in a round as the cheapest allow.
    const rounds = options.mostDebt / options.quantum + 2
    const most = rounds * owners * (options.quantum / options.leastCost + 1)
    fc.assert(
      fc.property(histories, (history) => {
        const queue = new DeficitRoundRobin<Item>(options)
        for (const step of history) {
          if (step === null) serve(queue, 1)
          else queue.add(step.owner, itemOf(step.owner, step.cost))
        }
        queue.add('e', itemOf('e', 1))
        // The others always want more.
        for (let i = 0; i < 10; i++) for (const owner of ['a', 'b', 'c']) queue.add(owner, itemOf(owner, 1))
        for (let served = 0; served <= most; served++) {
          const [item] = serve(queue, 1)
          assert.ok(item)
          if (item.owner === 'e') return
          queue.add(item.owner, itemOf(item.owner, 1))
        }
        assert.fail(`not served among ${most} items`)
      }),
    )
  })

  it('gives owners that always wait the same, to within the longest item and a quantum', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(costs, costs, (ofA, ofB) => {
        const queue = new DeficitRoundRobin<Item>(options)
        const used = { a: 0, b: 0 }
        const add = (owner: 'a' | 'b', number: number) => {
          const own = owner === 'a' ? ofA : ofB
          queue.add(owner, itemOf(owner, own[number % own.length] as number, number))
        }
        add('a', 0)
        add('b', 0)
        // An owner with one item at a time is not in the queue while the item is being served.
        for (let i = 0; i < 300; i++) {
          const [item] = serve(queue, 1)
          assert.ok(item)
          const owner = item.owner as 'a' | 'b'
          used[owner] += item.cost
          add(owner, item.number + 1)
          assert.ok(Math.abs(used.a - used.b) <= 90 + 2 * options.quantum, JSON.stringify(used))
        }
      }),
    )
  })
})
