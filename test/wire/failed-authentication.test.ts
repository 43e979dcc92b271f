/**
 * Callers without a valid credential get 401 for a burst of each address, then 429; callers with a valid one are not
 * affected.
 */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createFailures } from '../../src/auth/limits/failures.ts'
import { generateApiKey } from '../../src/directory/accounts/api-key.ts'
import { createRefuseCaller } from '../../src/http/refuse-caller.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { harbour } from '../fixtures/fixture-extract.ts'
import { startAdmin } from './start-admin.ts'
import { startEndpoints } from './start-endpoints.ts'
import { type Service, startService } from './start-service.ts'

const SECOND = 1_000_000_000n
const failureLimit = { rate: 0.5, burst: 5 }

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
type Ask = {
  readonly path?: string
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The clock of the limiters moves only when a test sets it, so that no machine is too slow. */
const time = { now: 1_000n * SECOND }
const options = { failureLimit, clock: () => time.now }
let untrusting: Service
let trusting: Service

before(async () => {
  untrusting = await startService(options)
  trusting = await startService({ ...options, trustedProxies: '127.0.0.1, 10.0.0.0/8' })
})
after(() => Promise.all([untrusting.close(), trusting.close()]))

/** Moves the clock so far that earlier failures no longer count. */
function start(service: Service = untrusting) {
  time.now += 3600n * SECOND
  const ask = ({ path = '/api/v2/bookings', from = '127.0.0.1', headers = {} }: Ask) =>
    new Promise<Reply>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: service.port, path, localAddress: from, headers },
        async (response) => {
          let body = ''
          for await (const chunk of response.setEncoding('utf8')) body += chunk
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        },
      )
      sent.on('error', reject).end()
    })
  const statuses = async (times: number, asked: () => Ask) => {
    const found: number[] = []
    for (let i = 0; i < times; i++) found.push((await ask(asked())).status)
    return found
  }
  return { service, ask, statuses }
}

const wrongKey = () => ({ 'X-API-Key': generateApiKey() })
const burst = [401, 401, 401, 401, 401]

describe('a caller without a valid credential', () => {
  it('gets 401 for a burst, then 429 with Retry-After, and then 401 again', async () => {
    const { ask, statuses } = start()
    assert.deepEqual(await statuses(8, () => ({ headers: wrongKey() })), [...burst, 429, 429, 429])
    const { status, headers, body } = await ask({ headers: wrongKey() })
    assert.deepEqual([status, headers['retry-after'], headers['www-authenticate']], [429, '2', undefined])
    assert.deepEqual(JSON.parse(body), {
      error:
        'Too many requests without a valid credential; retry after 2 seconds. A request with a valid one is answered at once',
    })
    time.now += 2n * SECOND
    assert.deepEqual(await statuses(2, () => ({ headers: wrongKey() })), [401, 429])
  })

  it('has a separate burst for each address, and one for all routes together', async () => {
    const { statuses } = start()
    const paths = ['/api/v2/bookings', '/api/v1/invoices', '/api/v2/itineraries?$filter=wrong']
    let turn = 0
    const anywhere = (from: string) => () => ({ path: paths[turn++ % 3] ?? '', from, headers: wrongKey() })
    assert.deepEqual(await statuses(7, anywhere('127.0.0.2')), [...burst, 429, 429])
    assert.deepEqual(await statuses(7, anywhere('127.0.0.3')), [...burst, 429, 429])
    assert.deepEqual(await statuses(1, anywhere('127.0.0.2')), [429])
  })

  it('counts the same with no credential, a psk, or anything else', async () => {
    const { statuses } = start()
    const kinds = [
      {},
      { psk: '' },
      { psk: crypto.randomUUID() },
      { 'X-API-Key': 'x' },
      { 'X-API-Key': 'a, b' },
    ]
    let turn = 0
    const asked = () => ({ path: '/api/v1/bookings', headers: kinds[turn++ % 5] as Record<string, string> })
    assert.deepEqual(await statuses(10, asked), [...burst, 429, 429, 429, 429, 429])
  })

  it('is limited by its key, whichever header brings it', async () => {
    const { statuses } = start()
    const key = generateApiKey()
    const ways = [
      { 'X-API-Key': key },
      { Authorization: `Bearer ${key}` },
      { Authorization: `Basic ${btoa(`erp:${key}`)}` },
    ]
    let turn = 0
    const asked = () => ({
      from: `127.0.0.${30 + turn}`,
      headers: ways[turn++ % 3] as Record<string, string>,
    })
    assert.deepEqual(await statuses(8, asked), [...burst, 429, 429, 429])
  })

  it('is limited by its credential when it uses many addresses', async () => {
    const { statuses } = start()
    const old = wrongKey()
    let last = 10
    assert.deepEqual(await statuses(8, () => ({ from: `127.0.0.${last++}`, headers: old })), [
      ...burst,
      429,
      429,
      429,
    ])
    assert.deepEqual(await statuses(1, () => ({ from: '127.0.0.10', headers: wrongKey() })), [401])
  })

  it('is limited by the beginning of a key, and by the signature of a token, when it guesses the rest', async () => {
    const { statuses } = start()
    const [key, signature] = [generateApiKey(), generateApiKey().replaceAll(/[^A-Za-z0-9]/g, '0')]
    let last = 40
    const guess = () => ({
      from: `127.0.0.${last++}`,
      headers: { 'X-API-Key': key.slice(0, 8) + generateApiKey().slice(8) },
    })
    assert.deepEqual(await statuses(7, guess), [...burst, 429, 429])
    const forge = () => ({
      from: `127.0.0.${last++}`,
      headers: { Authorization: `Bearer ${btoa(`{"sub":${last}}`)}.${signature}` },
    })
    assert.deepEqual(await statuses(7, forge), [...burst, 429, 429])
  })

  it('leaves no part of its key in any observation', async () => {
    const { service, statuses } = start()
    const old = wrongKey()
    await statuses(8, () => ({ headers: old }))
    assert.ok(!JSON.stringify(service.observations).includes(old['X-API-Key'].slice(0, 8)))
  })
})

describe('a caller with a valid credential', () => {
  it('is answered, even after many failures from its address', async () => {
    const { service, ask, statuses } = start()
    const apiKey = await service.keyOf(harbour)
    const { psk } = await service.pskOf(harbour)
    for (let round = 0; round < 10; round++) {
      await statuses(5, () => ({ headers: wrongKey() }))
      assert.equal((await ask({ headers: { 'X-API-Key': apiKey } })).status, 200)
      assert.equal((await ask({ path: '/api/v1/bookings', headers: { psk } })).status, 200)
    }
    assert.equal((await ask({ headers: wrongKey() })).status, 429)
  })

  it('is answered at any time, in any order of failures of other callers', async () => {
    const { service, ask } = start()
    const apiKey = await service.keyOf(harbour)
    const from = fc.constantFrom('127.0.0.20', '127.0.0.21')
    const turn = fc.record({ good: fc.boolean(), from, waitMs: fc.integer({ min: 0, max: 3000 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 40 }), async (turns) => {
        for (const { good, from, waitMs } of turns) {
          time.now += BigInt(waitMs) * 1_000_000n
          const headers = good ? { 'X-API-Key': apiKey } : wrongKey()
          const { status } = await ask({ from, headers })
          assert.ok(good ? status === 200 : status === 401 || status === 429, `${good} ${status}`)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('is answered while other callers guess the rest of its key, and despite its own earlier failures', async () => {
    const { service, ask, statuses } = start()
    const apiKey = await service.keyOf(harbour)
    const guess = () => ({ headers: { 'X-API-Key': apiKey.slice(0, 32) + generateApiKey().slice(32) } })
    assert.deepEqual((await statuses(7, guess)).slice(5), [429, 429])
    assert.equal((await ask({ headers: { 'X-API-Key': apiKey } })).status, 200)
  })
})

describe('an account that is not usable', () => {
  it('is limited like an unknown key', async () => {
    const { service, statuses } = start()
    const { account, apiKey } = await service.accounts.create({ clientNumber: harbour, name: 'Off' }, 'test')
    await service.accounts.setActive(account.id, false, 'test')
    assert.deepEqual(await statuses(7, () => ({ headers: { 'X-API-Key': apiKey } })), [...burst, 429, 429])
  })
})

describe('an address', () => {
  const forwarded = (addresses: string) => ({ headers: { ...wrongKey(), 'X-Forwarded-For': addresses } })

  it('is the one of the connection, despite X-Forwarded-For, unless the proxy is trusted', async () => {
    const { statuses } = start()
    let last = 1
    assert.deepEqual(await statuses(7, () => forwarded(`192.0.2.${last++}`)), [...burst, 429, 429])
  })

  it('is the one that a trusted proxy names', async () => {
    const { statuses } = start(trusting)
    assert.deepEqual(await statuses(6, () => forwarded('192.0.2.1')), [...burst, 429])
    assert.deepEqual(await statuses(6, () => forwarded('192.0.2.2')), [...burst, 429])
    // The client wrote the addresses before the one that the proxy added.
    let last = 1
    assert.deepEqual(await statuses(6, () => forwarded(`198.51.100.${last++}, 192.0.2.3`)), [...burst, 429])
    assert.deepEqual(await statuses(6, () => forwarded(`198.51.100.${last++}, 192.0.2.4, 10.1.2.3`)), [
      ...burst,
      429,
    ])
    // Not a trusted proxy.
    assert.deepEqual(
      await statuses(6, () => ({ ...forwarded(`192.0.2.${50 + last++}`), from: '127.0.0.9' })),
      [...burst, 429],
    )
  })

  it('is the same in IPv4, in IPv6, and with a port, and one for a whole /64', async () => {
    const { statuses } = start(trusting)
    const written = [
      '192.0.2.7',
      '::ffff:192.0.2.7',
      '192.0.2.7:443',
      '::ffff:c000:207',
      '[::ffff:192.0.2.7]:1',
    ]
    let turn = 0
    assert.deepEqual(await statuses(7, () => forwarded(written[turn++ % 5] as string)), [...burst, 429, 429])
    assert.deepEqual(await statuses(7, () => forwarded(`2001:db8::${turn++}`)), [...burst, 429, 429])
  })

  it('is that of the proxy when it names none', async () => {
    const { statuses } = start(trusting)
    const odd = ['unknown', '_hidden', '<script>', '', ',', 'a, b']
    let turn = 0
    assert.deepEqual(await statuses(7, () => forwarded(odd[turn++ % 6] as string)), [...burst, 429, 429])
  })
})

describe('other routes', () => {
  const limiter = () => {
    const observations: Observation[] = []
    const failures = createFailures({
      limit: failureLimit,
      observe: (observation) => observations.push(observation),
      clock: () => SECOND,
    })
    return { refuseCaller: createRefuseCaller(failures), failures, observations }
  }
  const repeat = async (times: number, ask: () => Promise<{ readonly status: number }>) => {
    const statuses: number[] = []
    for (let i = 0; i < times; i++) statuses.push((await ask()).status)
    return statuses
  }

  it('limit wrong tokens, but not good tokens or public endpoints', async (t) => {
    const { refuseCaller } = limiter()
    const endpoints = await startEndpoints({ refuseCaller })
    t.after(endpoints.close)
    const guarded = await endpoints.publish('Data._payload = 1', { requiresAuthentication: true })
    const open = await endpoints.publish('Data._payload = 1')
    const good = { headers: { authorization: await endpoints.tokenOf('reader') } }
    const bad = { headers: { authorization: `${good.headers.authorization.slice(0, -4)}AAAA` } }
    assert.deepEqual(await repeat(5, () => open.call(bad)), [200, 200, 200, 200, 200])
    assert.deepEqual(await repeat(7, () => guarded.call(bad)), [...burst, 429, 429])
    assert.deepEqual(await repeat(1, () => guarded.call()), [429])
    assert.deepEqual(await repeat(3, () => guarded.call(good)), [200, 200, 200])
    assert.deepEqual(await repeat(3, () => open.call(bad)), [200, 200, 200])
    const told = endpoints.observations.filter((one) => one.kind === 'token-refused')
    assert.deepEqual(
      told.map(({ inSummary }) => inSummary),
      [false, true, true, true, true, true, true],
    )
  })

  it('distinguish tokens of one issuer, which begin alike', async (t) => {
    const { refuseCaller } = limiter()
    const endpoints = await startEndpoints({ refuseCaller })
    t.after(endpoints.close)
    const { url } = await endpoints.publish('Data._payload = 1', { requiresAuthentication: true })
    const statusFrom = (localAddress: string, token: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: `Bearer eyJhbGciOiJIUzI1NiJ9.${token}` }
        const sent = request(url, { method: 'POST', localAddress, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
        sent.on('error', reject).end()
      })
    let last = 30
    const next = () => `127.0.0.${last++}`
    const different = await repeat(8, async () => ({ status: await statusFrom(next(), crypto.randomUUID()) }))
    assert.deepEqual(different, new Array(8).fill(401))
    const same = await repeat(7, async () => ({ status: await statusFrom(next(), 'one.and-the-same') }))
    assert.deepEqual(same, [...burst, 429, 429])
  })

  it('do not limit good tokens without the required role', async (t) => {
    const { refuseCaller } = limiter()
    const endpoints = await startEndpoints({ refuseCaller })
    t.after(endpoints.close)
    const guarded = await endpoints.publish('Data._payload = 1', { allowedRoles: ['boss'] })
    const headers = { authorization: await endpoints.tokenOf('reader') }
    assert.deepEqual(await repeat(7, () => guarded.call({ headers })), new Array(7).fill(403))
  })

  it('limit wrong signatures', async (t) => {
    const { refuseCaller } = limiter()
    const endpoints = await startEndpoints({ refuseCaller })
    t.after(endpoints.close)
    await endpoints.store.secrets.set('signing', { value: 'the secret' }, 'test')
    const hook = await endpoints.publish('Data._payload = 1', {
      signature: { style: 'github', secret: 'signing' },
    })
    const init = { body: '{}', headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } }
    assert.deepEqual(await repeat(7, () => hook.call(init)), [...burst, 429, 429])
  })

  it('limit wrong tokens of the admin API', async (t) => {
    const { refuseCaller, failures, observations } = limiter()
    const admin = await startAdmin({
      refuse: (asked, authorization, refusal) => refuseCaller(asked, 'admin', authorization, refusal),
    })
    t.after(admin.close)
    assert.deepEqual(await repeat(7, () => admin.send('GET', '/tenant', { token: 'nobody' })), [
      ...burst,
      429,
      429,
    ])
    assert.deepEqual(await repeat(2, () => admin.send('GET', '/tenant', { token: null })), [429, 429])
    assert.deepEqual(await repeat(2, () => admin.send('GET', '/tenant')), [200, 200])
    failures.tellAll()
    assert.deepEqual(observations[1], {
      kind: 'authentication-failures',
      address: '127.0.0.1',
      addresses: 1,
      failures: 8,
      limited: 4,
      routes: ['admin'],
    })
  })
})
