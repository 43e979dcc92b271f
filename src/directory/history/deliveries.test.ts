import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { HOOKS, REPORTS } from '../testing/executions.ts'
import { openHistory } from '../testing/stores.ts'
import type { History } from './history.ts'

let folder: string
let histories: readonly History[]
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-deliveries-'))
  histories = [await openHistory(folder), await openHistory(folder)]
})
after(async () => {
  for (const history of histories) await history.close()
  rmSync(folder, { recursive: true })
})

let deliveries = 0
const fresh = () => `delivery-${++deliveries}`
const NOON = Date.parse('2026-03-01T12:00:00Z')
const claim = (id: string, secondsAfterNoon = 0, { endpoint = HOOKS, through = 0, window = 3600 } = {}) =>
  histories[through]!.deliveries.claim(endpoint, id, window, new Date(NOON + secondsAfterNoon * 1000))
const settle = (id: string, succeeded: boolean, through = 0) =>
  histories[through]!.deliveries.settle(HOOKS, id, succeeded)

describe('a delivery', () => {
  it('is new once, running until it is settled, and done from then on', async () => {
    const id = fresh()
    assert.equal(await claim(id), 'new')
    assert.equal(await claim(id, 1, { through: 1 }), 'running')
    await settle(id, true, 1)
    assert.equal(await claim(id, 2), 'done')
    assert.equal(await claim(id, 3599), 'done')
  })

  it('is new again after a failed one', async () => {
    const id = fresh()
    await claim(id)
    await settle(id, false)
    assert.equal(await claim(id, 1), 'new')
  })

  it('is new again when its window is over, counted from its claim', async () => {
    const id = fresh()
    await claim(id)
    await settle(id, true)
    assert.equal(await claim(id, 3600), 'new')
    await settle(id, true)
    assert.equal(await claim(id, 7199), 'done')
  })

  it('is new again when it is not settled within seven minutes, and runs that long even in a shorter window', async () => {
    const id = fresh()
    await claim(id, 0, { window: 5 })
    assert.equal(await claim(id, 419.999), 'running')
    assert.equal(await claim(id, 420), 'new')
    assert.equal(await claim(id, 421), 'running')
  })

  it('stays done when a run that counted as abandoned fails afterwards', async () => {
    const id = fresh()
    await claim(id)
    await claim(id, 420)
    await settle(id, true)
    await settle(id, false)
    assert.equal(await claim(id, 421), 'done')
  })

  it('belongs to one endpoint only, and to exactly one id', async () => {
    const id = fresh()
    await claim(id)
    assert.equal(await claim(id, 0, { endpoint: REPORTS }), 'new')
    assert.equal(await claim(id.toUpperCase()), 'new')
  })

  it('that was not claimed is settled without a trace', async () => {
    const id = fresh()
    await settle(id, true)
    assert.equal(await claim(id), 'new')
  })

  it('is new for exactly one of many claims at once through two stores on one file', async () => {
    for (let round = 0; round < 20; round++) {
      const id = fresh()
      const states = await Promise.all(
        Array.from({ length: 20 }, (_, nth) => claim(id, 0, { through: nth % 2 })),
      )
      assert.equal(states.filter((state) => state === 'new').length, 1)
      assert.equal(states.filter((state) => state === 'running').length, 19)
    }
  })
})
