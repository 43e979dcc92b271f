import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openHistory } from '../testing/stores.ts'
import type { History } from './history.ts'

let folder: string
let asking: History
let serving: History
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-live-questions-'))
  asking = await openHistory(folder)
  serving = await openHistory(folder)
})
after(async () => {
  await asking.close()
  await serving.close()
  rmSync(folder, { recursive: true })
})

/** Rows of SQLite have no prototype. */
const plain = <T extends object>(rows: readonly T[]): T[] => rows.map((row) => ({ ...row }))

const NOON = Date.parse('2026-03-01T12:00:00Z')

describe('a question about live runs', () => {
  it('is there for each service until it has answered, and for nobody when it is withdrawn', async () => {
    await asking.live.ask({ id: 'q-1', question: '{"kind":"list"}' }, NOON)
    const asked = [{ id: 'q-1', question: '{"kind":"list"}' }]
    assert.deepEqual(plain(await serving.live.unanswered('a')), asked)
    await serving.live.answer('q-1', { node: 'a', answer: '1' })
    await serving.live.answer('q-1', { node: 'a', answer: 'twice' })
    assert.deepEqual(await serving.live.unanswered('a'), [])
    assert.deepEqual(plain(await serving.live.unanswered('b')), asked)
    assert.deepEqual(plain(await asking.live.answers('q-1')), [{ node: 'a', answer: '1' }])
    await asking.live.withdraw('q-1')
    assert.deepEqual(await serving.live.unanswered('b'), [])
    assert.deepEqual(await asking.live.answers('q-1'), [])
  })

  it('goes to the services that have shown themselves lately; what was left behind is removed', async () => {
    await serving.live.present('gone', NOON - 200_000, 0)
    await asking.live.ask({ id: 'q-2', question: '1' }, NOON - 200_000)
    await serving.live.answer('q-2', { node: 'gone', answer: '1' })
    await serving.live.present('a', NOON - 1000, 0)
    assert.deepEqual(await asking.live.nodesSince(NOON - 60_000), ['a'])
    await serving.live.present('a', NOON, NOON - 150_000)
    assert.deepEqual(await asking.live.nodesSince(0), ['a'])
    assert.deepEqual([await serving.live.unanswered('b'), await asking.live.answers('q-2')], [[], []])
    await serving.live.leave('a')
    assert.deepEqual(await asking.live.nodesSince(0), [])
  })
})
