import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { whenThere } from './soon.ts'

describe('whenThere', () => {
  it('uses an available value at once', () => {
    assert.equal(
      whenThere(1, (value) => value + 1),
      2,
    )
  })

  it('uses the value of a promise when it is fulfilled', async () => {
    const used = whenThere(Promise.resolve(1), (value) => value + 1)
    assert.ok(used instanceof Promise)
    assert.equal(await used, 2)
  })

  it('passes on the rejection of a promise', async () => {
    const used = whenThere(Promise.reject<number>(new Error('away')), (value) => value + 1)
    await assert.rejects(async () => used, /away/)
  })
})
