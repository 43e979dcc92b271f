/** The service is killed while scripts run: the next start records each run that it had begun and not recorded. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHistory } from '../../src/directory/open-stores.ts'
import type { ExecutionSummary } from '../../src/schema/execution-shapes.ts'
import { endless, operatorOf, tokenFor } from './live-calls.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { whileServing } from './tripfolio-process.ts'

let folder: EndpointsFolder
before(async () => {
  folder = await openEndpointsFolder()
})
after(() => folder.close())

/** A call that waits is not refused before the service is killed, however busy the machine is. */
const patient = { env: { TRIPFOLIO_SCRIPT_QUEUE_MILLISECONDS: '60000' } }

const journals = (): string[] => {
  const path = join(folder.data, 'live-runs')
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : []
}

async function rows(): Promise<readonly ExecutionSummary[]> {
  const history = await openHistory(folder.data)
  try {
    return (await history.list({}, { limit: 500 })).items
  } finally {
    await history.close()
  }
}

describe('a service that is killed while scripts run', () => {
  it('leaves a row for each run that was answered, that ran and that waited, once; the next one, which is stopped, loses none', async () => {
    await folder.publish('quick/{token}', 'Data._payload = 1', { concurrency: 100 })
    const burning = await folder.publish('burning', 'while true do end', { ...endless, concurrency: 1 })
    const token = await tokenFor(folder.data)
    const answered: string[] = []
    const live: string[] = []
    await whileServing(
      folder.data,
      async ({ address, kill }) => {
        const operate = operatorOf(address, token)
        const url = (path: string) => `${address}/api/dynamic/v1/${path}`
        for (let i = 0; i < 2; i++) fetch(url('burning?for=ada')).catch(() => undefined)
        while (live.length < 2) {
          const { body } = await operate('GET', `/executions/live?endpointId=${burning.id}`)
          live.splice(0, 2, ...body.items.map((run: { id: string }) => run.id))
          await sleep(20)
        }
        const callers = Array.from({ length: 8 }, async () => {
          for (;;) {
            const response = await fetch(url('quick/a-secret-token?api_key=another-secret')).catch(() => null)
            if (response === null) return
            if (response.status === 200) answered.push(response.headers.get('x-execution-id') ?? '')
          }
        })
        while (answered.length < 100) await sleep(5)
        await kill('SIGKILL')
        await Promise.all(callers)
      },
      patient,
    )
    const [journal] = journals()
    assert.doesNotMatch(readFileSync(journal ?? '', 'utf8'), /a-secret-token|another-secret/)
    let recorded: readonly ExecutionSummary[] = []
    await whileServing(folder.data, async ({ address, until, kill }) => {
      await until(/were lost when the service was killed/)
      recorded = await rows()
      // This one is stopped: it leaves a row of what it answered, no journal and no lost run.
      const response = await fetch(`${address}/api/dynamic/v1/quick/x`)
      assert.equal(response.status, 200)
      await response.arrayBuffer()
      await kill('SIGTERM')
    })
    assert.deepEqual(journals(), [])
    assert.equal((await rows()).length, recorded.length + 1)
    const byId = new Map(recorded.map((row) => [row.id, row]))
    assert.equal(byId.size, recorded.length)
    for (const id of answered) assert.ok(byId.has(id), `the answered run ${id} has no row`)
    const lost = recorded.filter(({ errorMessage }) => errorMessage?.startsWith('The run was lost'))
    for (const id of live) {
      const row = byId.get(id)
      assert.ok(row !== undefined && lost.includes(row))
      assert.deepEqual(
        [row.status, row.endpointName, row.method, row.path, row.version, row.statementCount],
        ['Failed', 'burning', 'GET', '/api/dynamic/v1/burning', 1, 0],
      )
      assert.match(row.requestId ?? '', /./)
      assert.ok(row.startedAt <= row.completedAt)
    }
    for (const { path } of lost) assert.doesNotMatch(path, /a-secret-token/)
  })
})
