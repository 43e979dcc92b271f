import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../directory/open-stores.ts'
import { definition } from '../../directory/testing/endpoint-store.ts'
import { placeControlStore } from '../../directory/testing/store-files.ts'
import { callCli } from '../testing/call-cli.ts'

let data: string
let id: string
before(async () => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-schedule-commands-'))
  await placeControlStore(data)
  const store = await openControlStore(data)
  const nightly = { name: 'nightly', cron: '30 5 * * *', timeZone: 'UTC', input: null } as const
  const draft = definition({
    name: 'Report',
    schedules: [{ ...nightly, missedRuns: 'once', overlap: false }],
  })
  id = (await store.endpoints.create(draft, 'test')).id
  await store.endpoints.publish(id, 'test')
  await store.close()
})
after(() => rmSync(data, { recursive: true }))

const schedule = (...argv: string[]) => callCli(['schedule', ...argv, '--data', data])

describe('tripfolio schedule', () => {
  it('lists schedules with state and next due time', async () => {
    const { code, stdout } = await schedule('list')
    assert.equal(code, 0)
    assert.match(stdout, /^endpoint +schedule +cron +zone +state +next/)
    assert.match(stdout, /^Report +nightly +30 5 \* \* \* +UTC +active +\S+T05:30:00\.000Z/m)
    assert.deepEqual(JSON.parse((await schedule('list', '--text', 'weekly', '--json')).stdout), [])
  })

  it('pauses, resumes and runs one, by the name or id of its endpoint', async () => {
    const paused = await schedule('pause', 'report', 'nightly', '--json')
    assert.equal(JSON.parse(paused.stdout)[0].state, 'Paused')
    assert.match((await schedule('resume', id, 'nightly')).stdout, /active/)
    const asked = await schedule('run', 'Report', 'nightly')
    assert.match(asked.stdout, /^Run \S{36} begins as soon as a service runs\.$/m)
    const again = await schedule('run', 'Report', 'nightly')
    assert.match(again.stderr, /Expected no other run of the schedule 'nightly'/)
    assert.notEqual(again.code, 0)
  })

  it('refuses a schedule that the endpoint does not have, and names those that it has', async () => {
    const { code, stderr } = await schedule('pause', 'Report', 'weekly')
    assert.notEqual(code, 0)
    assert.match(stderr, /found 'weekly'[\s\S]*It has 'nightly'/)
  })
})
