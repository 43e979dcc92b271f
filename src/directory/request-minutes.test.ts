import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CountsByFamily, requestSeconds } from '../observe/request-counts.ts'
import type { ControlStore } from './control-store.ts'
import { openControlStore } from './testing/stores.ts'

let folder: string
let store: ControlStore
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-minutes-'))
  store = await openControlStore(folder)
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const buckets = (first: number): readonly number[] => [first, ...new Array(requestSeconds.length).fill(0)]
const counts = (v2: number, failures = 0): CountsByFamily => ({
  v2: { buckets: buckets(v2), failures, refusals: 0 },
})
const minute = (text: string) => `2026-11-23T${text}:00.000Z`
const NOW = new Date(minute('12:03'))

describe('request minutes', () => {
  it('of several processes add up, oldest first, and a minute that is written again counts once', async () => {
    const { record, since } = store.requestMinutes
    await record('b', [{ minute: minute('12:01'), counts: counts(5, 1) }], NOW)
    await record('a', [{ minute: minute('12:00'), counts: counts(1) }], NOW)
    await record('a', [{ minute: minute('12:01'), counts: counts(2) }], NOW)
    await record('a', [{ minute: minute('12:01'), counts: counts(3, 2) }], NOW)
    const admin: CountsByFamily = { admin: { buckets: buckets(7), failures: 0, refusals: 4 } }
    await record('c', [{ minute: minute('12:01'), counts: admin }], NOW)
    assert.deepEqual(await since(minute('12:00')), [
      { minute: minute('12:00'), counts: counts(1) },
      { minute: minute('12:01'), counts: { ...counts(8, 3), ...admin } },
    ])
    assert.deepEqual(
      (await since(minute('12:01'))).map((one) => one.minute),
      [minute('12:01')],
    )
  })

  it('older than a day are removed with the next record', async () => {
    const { record, since } = store.requestMinutes
    const later = new Date('2026-11-24T13:00:30.000Z')
    await record('a', [{ minute: '2026-11-24T13:00:00.000Z', counts: counts(1) }], later)
    assert.deepEqual(
      (await since('')).map((one) => one.minute),
      [minute('12:01'), '2026-11-24T13:00:00.000Z'],
    )
  })
})
