import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadConfig } from '../config/load-config.ts'
import type { Observation } from '../observe/observation.ts'
import { testDatabase } from '../postgres/testing/postgres-server.ts'
import { onThisNode, openScheduledWork, whoRefreshes } from './scheduled-work.ts'

const STORE = 'postgres://store/a'
const ENGINE = 'postgres://engine/b'

const config = (env: Readonly<Record<string, string>>) => loadConfig({ env, flags: {} })

describe('who refreshes on schedule', () => {
  for (const [title, env, who] of [
    ['with stores in the data folder', {}, 'each'],
    ['with a shared store, and snapshots in each data folder', { TRIPFOLIO_STORE: STORE }, 'each'],
    ['with shared snapshots', { TRIPFOLIO_STORE: STORE, TRIPFOLIO_SNAPSHOTS: 's3://bucket' }, 'one'],
    ['with records in the store', { TRIPFOLIO_STORE: STORE, TRIPFOLIO_ENGINE: 'postgres' }, 'one'],
    [
      'with records in another database',
      { TRIPFOLIO_STORE: STORE, TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: ENGINE },
      'one',
    ],
  ] as const) {
    it(`${title}: ${who} of the nodes`, () => {
      const ofOneNode = { ...onThisNode }
      assert.equal(whoRefreshes(config(env), ofOneNode) === ofOneNode ? 'one' : 'each', who)
    })
  }
})

describe('the scheduled work', () => {
  it('runs at once with stores in the data folder', async () => {
    const events: string[] = []
    const work = await openScheduledWork(config({}), () => assert.fail())
    const end = work.add((lost) => {
      events.push(`begins ${lost.aborted}`)
      return () => void events.push('ends')
    })
    assert.deepEqual(events, ['begins false'])
    await end()
    await work.close()
    assert.deepEqual(events, ['begins false', 'ends'])
  })

  it('runs on the node that has the lock of a shared store, and says so', async (test) => {
    const { url } = await testDatabase(test)
    const seen: Observation[] = []
    const work = await openScheduledWork(config({ TRIPFOLIO_STORE: url }), (fact) => seen.push(fact))
    await new Promise<void>((resolve) => {
      work.add(() => {
        resolve()
        return () => undefined
      })
    })
    await work.close()
    assert.deepEqual(seen, [{ kind: 'scheduled-work-taken' }, { kind: 'scheduled-work-gone', reason: null }])
  })
})
