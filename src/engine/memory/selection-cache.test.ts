import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BitmapPool } from './bitmap.ts'
import { markedRows } from './matching-rows.ts'
import { Selection } from './selection.ts'
import { SelectionCache } from './selection-cache.ts'
import { runWork } from './work.ts'

/** A selection of 32 × 1000 rows with a gap, kept as a bitmap of 4,000 bytes. */
function selection(): Selection {
  const pool = new BitmapPool(32_000)
  const bits = pool.take().fill(0xffffffff)
  bits[7] = 1
  return new Selection(markedRows(bits, pool), [])
}

describe('the selection cache', () => {
  it('keeps selections by key', () => {
    const cache = new SelectionCache(100_000)
    const kept = selection()
    cache.keep('a', kept)
    assert.equal(cache.get('a'), kept)
    assert.equal(cache.get('b'), undefined)
  })

  it('keeps selections that are requested again when it outgrows its limit', () => {
    const cache = new SelectionCache(100_000)
    const first = selection()
    cache.keep('first', first)
    assert.equal(cache.get('first'), first)
    for (let i = 0; i < 20; i++) cache.keep(`other ${i}`, selection())
    assert.equal(cache.get('first'), first)
    assert.equal(cache.get('other 0'), undefined)
    assert.notEqual(cache.get('other 19'), undefined)
  })

  it('counts the grown size of a selection when it is used again', async () => {
    const cache = new SelectionCache(100_000)
    const growing = selection()
    cache.keep('growing', growing)
    assert.equal(cache.get('growing'), growing)
    await runWork(growing.page(0, 10))
    await runWork(growing.page(10, 20)) // now every one of its rows is listed
    cache.keep('growing', growing)
    assert.ok(growing.byteLength > 100_000)
    assert.equal(cache.get('growing'), undefined)
  })

  it('keeps nothing when its limit is 0', () => {
    const cache = new SelectionCache(0)
    cache.keep('a', selection())
    assert.equal(cache.get('a'), undefined)
  })
})
