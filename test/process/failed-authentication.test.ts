/** A service with several threads, while many callers without a valid credential ask for everything. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { generateApiKey } from '../../src/directory/accounts/api-key.ts'
import { repeated } from '../campaign.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'
import { whileServing } from './tripfolio-process.ts'

let folder: string
let data: string
let apiKey: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-failures-'))
  data = join(folder, 'data')
  await publishExtract({ data }, fixtureExtract)
  apiKey = await createAccount(data, harbour, 'Flood')
})
after(() => rm(folder, { recursive: true, force: true }))

type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

const linesOf = (output: string): readonly Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)

const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
const CONNECTIONS = 8
const REQUESTS_PER_CONNECTION = repeated(25, 200)
const FAILURES = addresses.length * CONNECTIONS * REQUESTS_PER_CONNECTION

function ask(address: string, path: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { agent, headers: { 'X-API-Key': key } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
}

/** On many connections from several addresses; every tenth request, from the same addresses, has a good key. */
async function flood({ address }: ServingHere): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const connection = async (localAddress: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
    for (let i = 0; i < REQUESTS_PER_CONNECTION; i++) {
      const path = i % 2 === 0 ? '/api/v2/bookings' : '/api/v1/invoices'
      const bad = await ask(address, path, generateApiKey(), agent)
      counts.set(`bad ${bad}`, (counts.get(`bad ${bad}`) ?? 0) + 1)
      if (i % 10 !== 0) continue
      const good = await ask(address, '/api/v2/bookings?$pageSize=1', apiKey, agent)
      counts.set(`good ${good}`, (counts.get(`good ${good}`) ?? 0) + 1)
    }
    agent.destroy()
  }
  await Promise.all(addresses.flatMap((from) => Array.from({ length: CONNECTIONS }, () => connection(from))))
  return counts
}

const isWarning = ({ msg }: Line) => msg === 'keys and records travel in the clear'

/** A thread reports requests in batches, up to 20 ms late: the metrics are read until they stay the same for longer. */
async function metricsAfterBatches(address: string): Promise<string> {
  const read = async () => (await fetch(`${address}/metrics`)).text()
  const failuresIn = (metrics: string) =>
    metrics.match(/^tripfolio_authentication_failures_total.*$/gm)?.join()
  let metrics = await read()
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const later = await read()
    if (failuresIn(later) === failuresIn(metrics)) return later
    metrics = later
  }
}

describe('a flood of callers without a valid credential', () => {
  it('is refused in few lines that count all of it, and nobody with a valid key is refused', async () => {
    const started = performance.now()
    const { counts, metrics, output } = await whileServingHere(
      data,
      async (serving) => {
        const counts = await flood(serving)
        const metrics = await metricsAfterBatches(serving.address)
        await serving.close()
        return { counts, metrics, output: serving.output() }
      },
      { threads: 2 },
    )
    const minutes = Math.floor((performance.now() - started) / 60_000) + 2
    assert.deepEqual([...counts.keys()].sort(), ['bad 401', 'bad 429', 'good 200'])
    // A burst of 20 for each address, and one every two seconds.
    const most = addresses.length * (20 + 30 * minutes)
    assert.ok((counts.get('bad 401') ?? 0) >= addresses.length * 20)
    assert.ok((counts.get('bad 401') ?? 0) <= most, `${counts.get('bad 401')} of ${FAILURES}`)

    const lines = linesOf(output)
    const requests = lines.filter(({ msg, status }) => msg === 'request' && Number(status) !== 200)
    const first = lines.filter(({ msg }) => msg === 'authentication failed')
    const further = lines.filter(({ msg }) => msg === 'further authentication failures within a minute')
    assert.deepEqual(new Set(first.map(({ address }) => address)), new Set(addresses))
    for (const told of [requests, first, further]) {
      assert.ok(
        told.length >= addresses.length && told.length <= addresses.length * minutes,
        `${told.length}`,
      )
    }
    const counted = further.reduce((sum, { failures }) => sum + Number(failures), first.length)
    assert.equal(counted, FAILURES)
    const limited = further.reduce((sum, line) => sum + Number(line.limited), 0)
    const refused = counts.get('bad 429') ?? 0
    // The first of a further minute has a line of its own, which may have been limited.
    assert.ok(limited <= refused && limited >= refused - first.length, `${limited} of ${refused}`)

    const counter = /^tripfolio_authentication_failures_total\{.*\} (\d+)$/gm
    const inMetrics = [...metrics.matchAll(counter)].reduce((sum, [, value]) => sum + Number(value), 0)
    assert.equal(inMetrics, FAILURES)
    assert.equal(lines.filter(({ level }) => level === 'error').length, 0)
  })
})

describe('the warning that keys travel in the clear', () => {
  // `serve-command.test.ts` shows for which addresses and proxies.
  it('is given once where the service listens on more than this machine, whatever the number of threads', async () => {
    const [warning, ...more] = await whileServing(
      data,
      async (serving) => {
        await serving.kill('SIGTERM')
        return linesOf(serving.output()).filter(isWarning)
      },
      { args: ['--host', '0.0.0.0', '--threads', '2'], ready: /serves (http:\/\/\S+?)\/api/ },
    )
    assert.deepEqual([warning?.level, warning?.host, more.length], ['warn', '0.0.0.0', 0])
    assert.match(String(warning?.hint), /TLS.*trustedProxies/)
  })
})
