import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'
import { outboundServices } from '../testing/outbound-services.ts'
import { createPrograms } from './programs.ts'
import { rehearsal } from './rehearsal.ts'
import { createScriptAnswerer } from './run-endpoint.ts'
import { warmScripts } from './warm-scripts.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

async function publish(path: string): Promise<string> {
  const { endpoints } = runs.store
  const definition = { name: path, description: '', category: 'Utility', method: 'GET', path } as const
  const { id } = await endpoints.create(
    {
      ...definition,
      requiresAuthentication: false,
      allowedRoles: [],
      limits: {},
      allowedHosts: [],
      signature: null,
      deduplication: null,
      record: 'full',
      maskedFields: [],
      schedules: [],
      script: 'Data._payload = 1',
    },
    'test',
  )
  await endpoints.publish(id, 'test')
  return id
}

describe('warm scripts', () => {
  it('are not rehearsed without a published endpoint', async () => {
    await warmScripts({
      endpoints: () => [],
      programs: () => assert.fail('a program was asked for'),
      answer: () => assert.fail('a script was run'),
    })
  })

  it('are compiled before their first call, and the rehearsal succeeds without a record', async () => {
    const ids = [await publish('one'), await publish('two')]
    const read: string[] = []
    const { endpoints } = runs.store
    const programs = createPrograms({
      version: (id, version) => {
        read.push(id)
        return endpoints.version(id, version)
      },
      modulesOf: endpoints.modulesOf,
    })
    const { store, history } = runs
    const observed: unknown[] = []
    const answer = createScriptAnswerer(
      {
        store,
        notepads: history.notepads,
        records: () => ({ query: () => assert.fail('records were queried'), snapshot: null }),
        observe: (observation) => void observed.push(observation),
        historyBodyBytes: 100,
        outbound: outboundServices(),
      },
      programs,
    )
    await warmScripts({ endpoints: endpoints.current, programs, answer })
    assert.deepEqual(new Set(read), new Set(ids))
    for (const id of ids)
      await programs({ endpoint: { ...rehearsal().endpoint, id }, source: { version: 1 } })
    assert.equal(read.length, 2)
    assert.deepEqual(observed, [])
    assert.deepEqual((await history.list({}, { limit: 10 })).items, [])
    const { execution } = await (await answer(rehearsal())).record()
    assert.deepEqual([execution?.status, execution?.error], ['Success', null])
  })
})
