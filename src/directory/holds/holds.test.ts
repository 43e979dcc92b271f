import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ControlStore } from '../control-store.ts'
import { makeStores } from '../testing/people-store.ts'
import { heldSubjects } from './held.ts'
import { QUIET_MARK, quietMark, quietNow, refuseWhileQuiet, startingQuiet } from './quiet.ts'

const files = makeStores()
let store: ControlStore
let other: ControlStore
before(async () => {
  store = await files.open()
  other = await files.open()
})
after(() => files.remove())

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
const refusedWith = (code: string) => (cause: unknown) => cause instanceof Problem && cause.code === code

describe('what operators hold', () => {
  for (const subject of heldSubjects) {
    it(`${subject}: holds from the next look of another node until it is resumed, with who, when and why`, async () => {
      const hold = { at: at(1), by: 'operator:ann', reason: ' the extract is wrong ' }
      const held = { ...hold, reason: 'the extract is wrong' }
      assert.deepEqual((await store.holds.hold(subject, hold)).held, held)
      assert.deepEqual((await other.holds.find(subject)).held, held)
      const again = await other.holds.hold(subject, { at: at(2), by: 'operator:bob', reason: 'another' })
      assert.deepEqual(again.held, held)
      const others = (await other.holds.list()).filter((state) => state.subject !== subject)
      assert.deepEqual(
        others.map((state) => state.held),
        [null, null],
      )
      assert.equal((await other.holds.resume(subject, 'operator:bob', at(3))).held, null)
      assert.deepEqual(await store.holds.find(subject), { subject, held: null, resumedAt: at(3) })
      const { items } = await store.audit.list({ limit: 100 })
      assert.deepEqual(
        items
          .filter(({ subjectId }) => subjectId === subject)
          .map(({ action, actor, before: was, after: is }) => [action, actor, was, is]),
        [
          ['resume', 'operator:bob', { held: true, reason: held.reason }, { held: false }],
          ['hold', 'operator:ann', { held: false }, { held: true, reason: held.reason }],
        ],
      )
    })
  }

  it('needs a reason that a person can read', async () => {
    for (const reason of ['', '  \n', 'x'.repeat(501)])
      await assert.rejects(
        store.holds.hold('schedules', { at: at(1), by: 'operator:ann', reason }),
        refusedWith('DIR841'),
      )
    assert.equal((await store.holds.find('schedules')).held, null)
  })
})

describe('a node that starts quiet for itself', () => {
  it('is so until somebody resumes after that, and leaves others of the store as they are', async () => {
    await store.holds.resume('outbound', 'operator:ann', at(10))
    const config = loadConfig({ env: { TRIPFOLIO_QUIET: 'true' }, flags: { data: '/none' } })
    const { startedQuiet = null } = startingQuiet(config)
    assert.match(startedQuiet?.reason ?? '', /the setting quiet \(environment\)/)
    const quiet = { holds: store.holds, startedQuiet: startedQuiet && { ...startedQuiet, at: at(20) } }
    assert.equal((await quietNow(quiet))?.at, at(20))
    await assert.rejects(refuseWhileQuiet(quiet), refusedWith('DIR840'))
    assert.equal(await quietNow({ holds: other.holds, startedQuiet: null }), null)
    await other.holds.resume('outbound', 'operator:ann', at(21))
    assert.equal(await quietNow(quiet), null)
  })

  it('says who restored it and when; a mark that cannot be read counts, too', async (test) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-quiet-'))
    test.after(() => rm(data, { recursive: true }))
    const config = loadConfig({ env: {}, flags: { data } })
    assert.equal(startingQuiet(config).startedQuiet, undefined)
    const restored = { at: at(30), by: 'operator:ann', reason: 'it was restored' }
    await writeFile(join(data, QUIET_MARK), quietMark(restored))
    assert.deepEqual(startingQuiet(config).startedQuiet, restored)
    for (const text of ['', '{}', 'x', 'null']) {
      await writeFile(join(data, QUIET_MARK), text)
      assert.match(startingQuiet(config).startedQuiet?.reason ?? '', /cannot be read/, text)
    }
  })
})
