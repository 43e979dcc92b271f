/** The service is stopped while scripts run: each run that was answered, and each that was ended, has its row in the history. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openHistory } from '../../src/directory/open-stores.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { whileServing } from './tripfolio-process.ts'

let folder: EndpointsFolder
before(async () => {
  folder = await openEndpointsFolder()
})
after(() => folder.close())

const endless = {
  milliseconds: 300_000,
  statements: 1_000_000_000,
  loops: 1_000_000_000,
  concurrency: 100,
} as const

/** Runs then have half of it to end. */
const stopsSoon = { env: { TRIPFOLIO_STOP_SECONDS: '6' } }

type Answered = { readonly status: number; readonly executionId: string; readonly retryAfter: string | null }

/** Null when the connection was cut or never made. */
async function call(url: string, signal?: AbortSignal): Promise<Answered | null> {
  try {
    const response = await fetch(url, { signal: signal ?? null })
    await response.arrayBuffer()
    const executionId = response.headers.get('x-execution-id') ?? ''
    return { status: response.status, executionId, retryAfter: response.headers.get('retry-after') }
  } catch {
    return null
  }
}

/** What makes a run last: working, waiting for answers of the stores, or one step that cannot be interrupted. */
const lasting: readonly (readonly [path: string, script: string])[] = [
  ['working', 'while true do end'],
  ['asking', 'while true do GetAllOrganizations() end'],
  ['holding', 'var a = [] for i in 0 to 60 do a = [a, a] end while true do Data.b = a == a end'],
]

describe('stopping the service while scripts run', () => {
  it('leaves a row for each call that was answered and each run that was ended', async () => {
    const ids: string[] = []
    for (const [path, script] of lasting) ids.push((await folder.publish(path, script, endless)).id)
    await folder.publish('quick', 'Data._payload = 1', { concurrency: 100 })
    const answered: Answered[] = []
    const { code, output } = await whileServing(
      folder.data,
      async ({ address, kill, output }) => {
        const url = (name: string) => `${address}/api/dynamic/v1/${name}`
        const gone = new AbortController()
        const ended = lasting.flatMap(([path]) => [call(url(path)), call(url(path), gone.signal)])
        let isStopped = false
        const callers = Array.from({ length: 16 }, async () => {
          while (!isStopped) {
            const answer = await call(url('quick'))
            if (answer !== null) answered.push(answer)
            // The service takes no more connections; trying again at once would only burn processor time.
            else await new Promise((resolve) => setTimeout(resolve, 100))
          }
        })
        while (answered.length < 50) await new Promise((resolve) => setTimeout(resolve, 10))
        gone.abort()
        const exit = kill('SIGTERM')
        const code = await exit
        isStopped = true
        await Promise.all(callers)
        for (const answer of await Promise.all(ended)) {
          if (answer === null) continue
          assert.deepEqual([answer.status, answer.retryAfter], [503, '5'])
          answered.push(answer)
        }
        return { code, output: output() }
      },
      stopsSoon,
    )
    assert.equal(code, 0, output.slice(-1000))
    const runsCutOff = Number(
      /"msg":"service stopped"/.test(output) && /"runsCutOff":(\d+)/.exec(output)?.[1],
    )
    assert.ok(runsCutOff >= lasting.length, `the log tells that ${runsCutOff} runs were cut off`)
    assert.deepEqual(
      output.split('\n').filter((line) => /already been destroyed|could not be recorded|cut off/.test(line)),
      [],
    )
    const history = await openHistory(folder.data)
    try {
      const missing: string[] = []
      for (const { status, executionId } of answered) {
        if (executionId === '') assert.equal(status, 503)
        else if ((await history.find(executionId)) === null) missing.push(executionId)
      }
      assert.deepEqual(missing, [])
      for (const endpointId of ids) {
        const { items } = await history.list({ endpointId }, { limit: 10 })
        // One caller stayed, the other one left.
        assert.deepEqual(
          items
            .map(({ status, errorMessage }) => [status, errorMessage?.replace('The run was cancelled: ', '')])
            .sort(),
          [
            ['Cancelled', 'its caller closed the connection before the answer'],
            ['Cancelled', 'the service was stopped'],
          ],
        )
      }
    } finally {
      await history.close()
    }
  })

  it('says of how many runs the records are lost where the disk has no room for them', async () => {
    await folder.publish('counted', 'Data._payload = 1', { concurrency: 100 })
    let answered = 0
    const output = await whileServing(
      folder.data,
      async ({ address, kill, output }) => {
        const callers = Array.from({ length: 16 }, async () => {
          while (answered < 300) {
            const answer = await call(`${address}/api/dynamic/v1/counted`)
            assert.equal(answer?.status, 200)
            answered++
          }
        })
        await Promise.all(callers)
        assert.equal(await kill('SIGTERM'), 0)
        return output()
      },
      { wrapper: ['prlimit', '--fsize=0:unlimited'] },
    )
    const told = [...output.matchAll(/"executions":(\d+).*could not be recorded/g)].map(([, count]) =>
      Number(count),
    )
    assert.equal(
      told.reduce((sum, count) => sum + count, 0),
      answered,
    )
    assert.ok(told.length <= 2, told.join())
  })
})
