import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SortWord } from './radix-sort.ts'
import { ROWS_PER_BLOCK, type RowOrder, RowOrders } from './row-orders.ts'

const COUNT = 200_000

/** From the last row to the first. */
const backwards: SortWord = (ids, into, from, to) => {
  for (let i = from; i < to; i++) into[i] = COUNT - ids[i]!
}

const untilBuilt = async (orders: RowOrders, key: string): Promise<RowOrder> => {
  for (;;) {
    const order = orders.onceWorthwhile(key, COUNT, () => [backwards])
    if (order !== null) return order
    await new Promise(setImmediate)
  }
}

describe('the order of all rows', () => {
  it('exists once sorts have read enough rows, and is built once', async () => {
    const orders = new RowOrders(COUNT, 5 * COUNT * 2)
    let built = 0
    const words = () => {
      built++
      return [backwards]
    }
    for (let i = 0; i < 7; i++) assert.equal(orders.onceWorthwhile('a', COUNT, words), null)
    await new Promise(setImmediate)
    assert.equal(built, 0)
    for (let i = 0; i < 20; i++) assert.equal(orders.onceWorthwhile('a', COUNT, words), null)
    const { ids, leastOf, greatestOf } = await untilBuilt(orders, 'a')
    assert.equal(built, 1)
    assert.equal(ids.length, COUNT)
    assert.ok(ids.every((row, at) => row === COUNT - 1 - at))
    assert.ok(greatestOf.every((row, block) => row === COUNT - 1 - block * ROWS_PER_BLOCK))
    assert.ok(leastOf.every((row, block) => row === Math.max(0, COUNT - (block + 1) * ROWS_PER_BLOCK)))
    assert.equal(orders.onceWorthwhile('b', COUNT, words), null, 'another sort has another order')
  })

  it('is evicted when other orders are requested and memory is short', async () => {
    const orders = new RowOrders(COUNT, 5 * COUNT)
    await untilBuilt(orders, 'a')
    await untilBuilt(orders, 'b')
    assert.equal(
      orders.onceWorthwhile('a', COUNT, () => [backwards]),
      null,
    )
    assert.notEqual(
      orders.onceWorthwhile('b', COUNT, () => [backwards]),
      null,
    )
  })
})
