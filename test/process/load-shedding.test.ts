/** A process with the least that may be computed and wait, and one account that asks for more than that. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { whileServingHere } from './service-in-process.ts'

/** So many that putting them in order for the first time takes more than one turn of the event loop on any machine. */
const BOOKINGS = 6_000

const FLOOD = 40

/** The only client of a demo extract with one. */
const DEMO_CLIENT = 'C00001'

let data: string
const keys: string[] = []

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'tripfolio-shedding-'))
  await publishDemo({ data }, { clients: 1, bookings: BOOKINGS })
  for (const name of ['flooding', 'quiet']) keys.push(await createAccount(data, DEMO_CLIENT, name))
})
after(() => rm(data, { recursive: true, force: true }))

const serveArgs = {
  threads: 1,
  env: {
    TRIPFOLIO_ACCOUNT_CONCURRENCY: '1',
    TRIPFOLIO_ACCOUNT_QUEUE: '1',
    TRIPFOLIO_ACCOUNT_QUEUE_MILLISECONDS: '60000',
    TRIPFOLIO_WARM_UP: 'none',
  },
}

const orders = ['recordLocator', 'modifiedAt', 'tripStartLocal', 'tripEndLocal', 'originatingAgency']

/** Never the same twice. */
const heavyPath = (n: number): string =>
  `/api/v2/bookings?$pageSize=50&$orderby=${orders[n % orders.length]} desc,recordLocator desc&$filter=recordLocator ne 'X${n}'`

describe('tripfolio serve with a share of one for each account', () => {
  it('refuses an account what exceeds its share, answers another one, and tells it in metrics and log', async () => {
    await whileServingHere(
      data,
      async ({ address, until }) => {
        const [flooding = '', quiet = ''] = keys
        const get = (path: string, apiKey: string) =>
          fetch(address + path, { headers: { 'X-API-Key': apiKey } })
        const flood = Array.from({ length: FLOOD }, (_, n) => get(heavyPath(n), flooding))
        const page = get(heavyPath(FLOOD), quiet)
        assert.equal((await page).status, 200)
        const answers = await Promise.all(flood)
        const refused = answers.filter(({ status }) => status === 429)
        const answered = answers.filter(({ status }) => status === 200)
        assert.ok(refused.length > 0, 'some are refused')
        assert.ok(answered.length > 0, 'some are answered')
        assert.equal(refused.length + answered.length, FLOOD)
        for (const { headers } of refused) assert.match(String(headers.get('retry-after')), /^[1-9]\d*$/)
        await until(/requests were refused because of too much load/)
        // They are brought up to date every second.
        const wanted = [
          `tripfolio_requests_shed_total{reason="account"} ${refused.length}\n`,
          'tripfolio_requests_computing 0\n',
          'tripfolio_requests_queued 0\n',
        ]
        let metrics = ''
        while (!wanted.every((line) => metrics.includes(line))) {
          metrics = await (await fetch(`${address}/metrics`)).text()
          await wait(50)
        }
        // Nothing of it is left: the account is answered again.
        assert.equal((await get(heavyPath(FLOOD + 1), flooding)).status, 200)
      },
      serveArgs,
    )
  })
})
