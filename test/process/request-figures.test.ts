/** The figures of requests that the service keeps by itself: they are there after a restart, and those of all threads. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

it('figures of requests survive a restart, whichever thread answered', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-figures-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const data = join(root, 'data')
  await publishExtract({ data }, fixtureExtract)
  await whileServingHere(
    data,
    async ({ address }) => {
      for (let i = 0; i < 20; i++) {
        assert.equal((await fetch(`${address}/api/v2/bookings`)).status, 401)
        assert.equal((await fetch(`${address}/livez`)).status, 200)
      }
      // Threads count in batches, so that the figures may lack the requests of the last moment.
      while ((await counted(address)) < 20);
    },
    { threads: 2 },
  )
  await whileServingHere(data, async ({ address }) => {
    const { stdout } = await runCommand(['token', 'issue', '--role', 'viewer', '--data', data])
    const headers = { Authorization: `Bearer ${stdout.trim()}` }
    const response = await fetch(`${address}/api/admin/v1/system`, { headers })
    assert.equal(response.status, 200)
    const { requests } = (await response.json()) as {
      requests: readonly { family: string; requests: number; refusals: number }[]
    }
    assert.deepEqual(
      requests.map(({ family, requests, refusals }) => [family, requests, refusals]),
      [['v2', 20, 20]],
    )
  })
})

async function counted(address: string): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const line =
    /^tripfolio_http_request_duration_seconds_count\{[^}]*route="\/api\/v2\/bookings"[^}]*\} (\d+)$/m
  return Number(line.exec(metrics)?.[1] ?? 0)
}
