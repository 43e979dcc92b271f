/** Dynamic endpoints of the whole service, in a process of its own with several threads. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openHistory } from '../../src/directory/open-stores.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { whileServingHere } from './service-in-process.ts'
import { whileServing } from './tripfolio-process.ts'

const clientNumber = fixtureExtract.clients[0]?.client_number as string
let folder: EndpointsFolder
let apiKey: string
before(async () => {
  folder = await openEndpointsFolder()
  apiKey = (await folder.store.accounts.create({ clientNumber, name: 'test' }, 'test')).apiKey
})
after(() => folder.close())

const twoScriptThreads = { env: { TRIPFOLIO_SCRIPT_THREADS: '2' } }

/** On a connection of its own, so that any thread may get it. */
const fresh = { headers: { connection: 'close' } }

describe('the service with endpoints', () => {
  it('with several threads of each kind', (test) =>
    whileServingHere(
      folder.data,
      async ({ address }) => {
        await test.test('answers from a change in the next request, whichever thread gets it', async () => {
          const call = async () => {
            const response = await fetch(`${address}/api/dynamic/v1/changing`, fresh)
            return [response.status, await response.text()]
          }
          const calls = () => Promise.all(Array.from({ length: 24 }, call))
          const all = (answers: unknown[][], expected: unknown[]) => {
            for (const answer of answers) assert.deepEqual(answer, expected)
          }
          for (const [status] of await calls()) assert.equal(status, 404)
          const { id, draft } = await folder.publish('changing', 'Data._payload = 1', { concurrency: 100 })
          all(await calls(), [200, '1'])
          for (let version = 2; version < 6; version++) {
            await folder.store.endpoints.saveDraft(
              id,
              { ...draft, script: `Data._payload = ${version}` },
              'test',
            )
            await folder.store.endpoints.publish(id, 'test')
            all(await calls(), [200, String(version)])
          }
          await folder.store.endpoints.setActive(id, false, 'test')
          for (const [status] of await calls()) assert.equal(status, 404)
        })
        await test.test('ends endless scripts, and answers other callers meanwhile', async () => {
          const { id } = await folder.publish('endless', 'while true do end', {
            milliseconds: 3000,
            statements: 1_000_000_000,
            loops: 1_000_000_000,
          })
          const page = async () => {
            const response = await fetch(`${address}/api/v2/bookings?$pageSize=5`, {
              headers: { 'X-API-Key': apiKey },
            })
            await response.arrayBuffer()
            return response.status
          }
          let ended = 0
          const calls = Array.from({ length: 4 }, async () => {
            const response = await fetch(`${address}/api/dynamic/v1/endless`)
            ended++
            return { status: response.status, body: await response.json() }
          })
          let pages = 0
          while (ended === 0) {
            assert.equal(await page(), 200)
            pages++
          }
          // A thread that waits for the scripts would have answered one or two until they end.
          assert.ok(pages > 2, `${pages} pages`)
          const answers = await Promise.all(calls)
          for (const { status, body } of answers) {
            assert.equal(status, 500)
            assert.deepEqual(Object.keys(body as object).sort(), ['error', 'executionId'])
          }
          const history = await openHistory(folder.data)
          try {
            const [{ executionId }] = answers.map(({ body }) => body as { executionId: string }) as [
              { executionId: string },
            ]
            let recorded = await history.find(executionId)
            while (recorded === null) recorded = await history.find(executionId)
            assert.deepEqual(
              [recorded.status, recorded.endpointId, recorded.error?.limit, recorded.error?.line],
              ['Failed', id, 'milliseconds', 1],
            )
          } finally {
            await history.close()
          }
        })
      },
      { ...twoScriptThreads, threads: 2 },
    ))

  it('answers each of a thousand simultaneous calls, with 503 where there is no room', () =>
    whileServing(
      folder.data,
      async ({ address }) => {
        const slow = 'var n = 0 while n < 20000 do n = n + 1 end Data._payload = n'
        await folder.publish('slow', slow, { concurrency: 2 })
        const url = `${address}/api/dynamic/v1/slow`
        const burst = () =>
          Promise.all(
            Array.from({ length: 1000 }, async () => {
              const response = await fetch(url)
              return {
                status: response.status,
                retry: response.headers.get('retry-after'),
                body: await response.text(),
              }
            }),
          )
        const memory = async () => {
          const text = await (await fetch(`${address}/metrics`)).text()
          return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1])
        }
        // The first one makes room for connections and code.
        await burst()
        const before = await memory()
        const answers = await burst()
        const growth = (await memory()) - before
        assert.ok(growth < 64 * 2 ** 20, `${growth} bytes more after another burst`)
        const count = (status: number) => answers.filter((answer) => answer.status === status).length
        assert.equal(count(200) + count(503), 1000)
        assert.ok(count(200) >= 2 && count(503) >= 100, `${count(200)} and ${count(503)}`)
        for (const { status, retry, body } of answers) {
          if (status === 200) assert.equal(body, '20000')
          else {
            assert.match(retry ?? '', /^[1-9]\d*$/)
            assert.match((JSON.parse(body) as { error: string }).error, /\S/)
          }
        }
        assert.equal((await fetch(url)).status, 200)
      },
      {
        env: {
          ...twoScriptThreads.env,
          TRIPFOLIO_SCRIPT_QUEUE: '20',
          TRIPFOLIO_SCRIPT_QUEUE_MILLISECONDS: '500',
        },
      },
    ))
})
