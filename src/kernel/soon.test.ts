import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { whenThere } from './soon.ts'

describe('whenThere', () => {
  it('uses a value that is there at once', () => {
    assert.equal(
      whenThere(1, (value) => value + 1),
      2,
    )
  })

  it('uses a value that comes later when it is there', async () => {
    const used = whenThere(Promise.resolve(1), (value) => value + 1)
    assert.ok(used instanceof Promise)
    assert.equal(await used, 2)
  })

  it('passes on why a value did not come', async () => {
    const used = whenThere(Promise.reject<number>(new Error('away')), (value) => value + 1)
    await assert.rejects(async () => used, /away/)
  })
})
