/** What runs of one endpoint leave for others, in the whole service; and when the service is ready for the first call. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { openHistory } from '../../src/directory/open-stores.ts'
import { MOST_START_MS } from '../../src/service/start-service.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { whileServingHere } from './service-in-process.ts'

let folder: EndpointsFolder
before(async () => {
  folder = await openEndpointsFolder()
})
after(() => folder.close())

const unlimited = { statements: 1_000_000_000, loops: 1_000_000_000, milliseconds: 60_000 }

const whenReady = async (address: string): Promise<void> => {
  while (!(await fetch(`${address}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a service with endpoints', () => {
  it('is ready when its threads for scripts are, and has recorded nothing by then', async () => {
    await folder.publish('first', 'Data._payload = 1')
    const ready = new Set<Worker>()
    const started = new Set<Worker>()
    let startedAt = 0
    const watch = (worker: Worker) => {
      if (started.size === 0) startedAt = performance.now()
      started.add(worker)
      worker.on('message', (message: { readonly m?: string }) => {
        if (message.m === 'ready') ready.add(worker)
      })
    }
    process.on('worker', watch)
    try {
      await whileServingHere(
        folder.data,
        async ({ address }) => {
          await whenReady(address)
          // On a busy machine the threads may need longer than the service waits for them.
          const isLate = performance.now() - startedAt >= MOST_START_MS
          assert.equal(started.size, 2)
          if (!isLate) assert.equal(ready.size, 2)
        },
        { env: { TRIPFOLIO_SCRIPT_THREADS: '2' } },
      )
    } finally {
      process.off('worker', watch)
    }
    const history = await openHistory(folder.data)
    assert.deepEqual((await history.list({}, { limit: 10 })).items, [])
    await history.close()
  })

  it('answers all calls of a short script while sixteen runs of another one burn', async () => {
    // Each burns until the short script has been called often enough, which it learns from the directory.
    await folder.publish(
      'burning',
      `
      var ended = false
      while not ended do
        for i in 0 to 200000 do end
        ended = Length(GetAllOrganizations()) > 0
      end
      Data._payload = "burnt"`,
      unlimited,
    )
    await folder.publish('short', 'Data._payload = Data.request.query.n')
    const order: string[] = []
    await whileServingHere(folder.data, async ({ address }) => {
      const call = async (path: string) => {
        const response = await fetch(`${address}/api/dynamic/v1/${path}`)
        order.push(`${response.status} ${await response.text()}`)
      }
      const burning = Array.from({ length: 16 }, () => call('burning'))
      for (let n = 0; n < 100; n++) await call(`short?n=${n}`)
      const metrics = await (await fetch(`${address}/metrics`)).text()
      const runs = (state: string) =>
        Number(new RegExp(`^tripfolio_script_runs_${state} (\\d+)$`, 'm').exec(metrics)?.[1])
      // One that reads the directory may count as waiting.
      assert.deepEqual([runs('running') + runs('waiting'), runs('queued')], [16, 0])
      await folder.store.organizations.create(
        { name: 'The end', description: null, number: null, isActive: true, parentOrganizationId: null },
        'test',
      )
      await Promise.all(burning)
    })
    const short = Array.from({ length: 100 }, (_, n) => `200 "${n}"`)
    assert.deepEqual(order, [...short, ...Array.from({ length: 16 }, () => '200 "burnt"')])
  })
})
