/**
 * A node whose PostgreSQL fails while callers ask: each answer is right, or 503 with Retry-After, and arrives in bounded time. When
 * the server is back, so is the node, without a restart and without more connections than before.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { lockCall } from '../../src/postgres/advisory-locks.ts'
import { ask, type RunningServer, startServer } from '../../src/postgres/testing/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../../src/postgres/testing/tcp-proxy.ts'
import { repeated } from '../campaign.ts'
import { type Answer, clientNumber, type Installation, type Node, openInstallation } from './nodes.ts'

const CALLERS = 16
/** A thread that answers, one that runs scripts, each with four connections; and the lock of the scheduled work. */
const MOST_CONNECTIONS = 2 * 4 + 1
/** The longest that a store may keep a request waiting, with room for a machine that has other work. */
const LONGEST_ANSWER_MS = 30_000

type Kind = 'page' | 'endpoint'

type Tally = { right: number; refused: number; longestMs: number; isOver: boolean }

const newTally = (): Tally => ({ right: 0, refused: 0, longestMs: 0, isOver: false })

let server: RunningServer
let installation: Installation
let proxy: TcpProxy
let node: Node
let callOf: { readonly [K in Kind]: () => Promise<Answer> }
let bodyOf: { readonly [K in Kind]: string }

/** Counts the answer. @throws when it is neither right nor a refusal that says when to come back */
async function callOnce(kind: Kind, tally: Tally): Promise<boolean> {
  const began = performance.now()
  const { status, headers, body } = await callOf[kind]()
  tally.longestMs = Math.max(tally.longestMs, performance.now() - began)
  if (status === 200) {
    assert.equal(body, bodyOf[kind], `a wrong ${kind}`)
    tally.right++
    return true
  }
  assert.equal(status, 503, `${kind}: ${status} ${body}`)
  assert.ok(Number(headers['retry-after']) > 0)
  assert.match(body, /^\{"error":".+"/)
  assert.ok(!body.includes('127.0.0.1'), `callers must not learn where the database is: ${body}`)
  tally.refused++
  return false
}

const kindOf = (call: number): Kind => (call % 2 === 0 ? 'page' : 'endpoint')

/** Callers ask over and over while the work goes on. One that is refused comes back a moment later. */
async function underLoad(work: (tally: Tally) => Promise<void>): Promise<Tally> {
  const tally = newTally()
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let call = caller; !tally.isOver; call++) {
      if (!(await callOnce(kindOf(call), tally))) await sleep(repeated(200, 0))
    }
  })
  await Promise.race([work(tally), Promise.all(callers)]).finally(() => {
    tally.isOver = true
  })
  await Promise.all(callers)
  return tally
}

/** Waits until so many more answers of this kind have come. */
async function untilMore(tally: Tally, what: 'right' | 'refused', count: number): Promise<void> {
  const enough = tally[what] + count
  while (tally[what] < enough && !tally.isOver) await sleep(10)
}

/** The first right answers may take a few calls; then every answer is right. */
async function recovers(): Promise<void> {
  const tally = newTally()
  for (const kind of ['page', 'endpoint'] as const) {
    while (!(await callOnce(kind, tally))) await sleep(50)
  }
  const later = newTally()
  await Promise.all(
    Array.from({ length: repeated(5 * CALLERS, 500) }, (_, call) => callOnce(kindOf(call), later)),
  )
  assert.equal(later.refused, 0)
  while ((await node.call('/readyz')).status !== 200) await sleep(50)
}

const connectionsOf = async (): Promise<number> => {
  const [row] = await ask<{ connections: number }>(
    server.url,
    "select count(*)::integer as connections from pg_stat_activity where application_name like 'tripfolio %' and pid <> pg_backend_pid()",
  )
  return row?.connections ?? 0
}

/** The server ends a connection a moment after its client has gone. */
async function noMoreConnections(): Promise<void> {
  const most = MOST_CONNECTIONS + OF_THIS_PROCESS
  while ((await connectionsOf()) > most) await sleep(50)
}

/** The stores that the test has open itself. */
const OF_THIS_PROCESS = 4

/** Holds what the statements lock until the returned function is called. */
async function hold(...statements: readonly string[]): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: installation.database })
  await holder.connect()
  await holder.query('begin')
  for (const statement of statements) await holder.query(statement)
  return () => holder.end()
}

describe('a node whose store fails under load', () => {
  before(async () => {
    server = await startServer({ settings: { max_connections: '40' } })
    installation = await openInstallation({ url: server.url, drop: async () => undefined })
    proxy = await openTcpProxy(server.url)
    const { accounts, endpoints, secrets } = installation.stores.control
    const { apiKey } = await accounts.create({ clientNumber, name: 'caller' }, 'test')
    await secrets.set('Payment', { value: 'canary' }, 'test')
    const { id } = await endpoints.create(
      {
        name: 'Reads',
        description: '',
        category: 'Utility',
        method: 'GET',
        path: 'reads',
        requiresAuthentication: false,
        allowedRoles: [],
        allowedHosts: [],
        limits: { concurrency: 100 },
        signature: null,
        deduplication: null,
        record: 'full',
        maskedFields: [],
        schedules: [],
        script: 'Data._payload = { "secret": GetSecret("Payment") }',
      },
      'test',
    )
    await endpoints.publish(id, 'test')
    node = await installation.startNode({ env: { TRIPFOLIO_STORE: proxy.url } })
    const headers = { 'x-api-key': apiKey }
    callOf = {
      page: () => node.call('/api/v2/bookings?pageSize=3', { headers }),
      endpoint: () => node.call('/api/dynamic/v1/reads'),
    }
    const [page, endpoint] = await Promise.all([callOf.page(), callOf.endpoint()])
    assert.deepEqual([page.status, endpoint.status], [200, 200])
    bodyOf = { page: page.body, endpoint: endpoint.body }
    assert.equal(JSON.parse(bodyOf.endpoint).secret, 'canary')
  })
  after(async () => {
    await installation.close()
    await proxy.close()
    await server.stop()
  })

  type Fault = {
    readonly title: string
    /** @returns what mends it */
    readonly breaks: () => Promise<() => Promise<unknown>>
    /** Some calls must be refused; otherwise others than the callers are. */
    readonly refuses: boolean
  }

  const faults: readonly Fault[] = [
    {
      title: 'the server is killed and started again',
      breaks: async () => {
        await server.kill()
        return server.start
      },
      refuses: true,
    },
    {
      title: 'the server takes no connections for a while',
      breaks: async () => {
        await proxy.refuse()
        return proxy.restore
      },
      refuses: true,
    },
    {
      title: 'connections are cut again and again',
      breaks: async () => {
        for (let cut = 0; cut < 20; cut++) {
          proxy.cut()
          await sleep(20)
        }
        return async () => undefined
      },
      refuses: false,
    },
    {
      title: 'the server accepts everything and answers nothing',
      breaks: async () => {
        proxy.hang()
        return proxy.restore
      },
      refuses: true,
    },
    {
      title: 'statements wait for a lock',
      breaks: () => hold('lock table tripfolio.accounts, tripfolio.revisions in access exclusive mode'),
      refuses: true,
    },
    {
      title: 'the connections of the store all wait for writers',
      breaks: async () => {
        const release = await hold(`select ${lockCall('pg_advisory_xact_lock', 'control-writes')}`)
        const writes = Array.from({ length: 8 }, () =>
          node.call('/api/admin/v1/tenant', {
            method: 'PUT',
            headers: {
              'if-match': '*',
              authorization: `Bearer ${installation.token}`,
              'content-type': 'application/json',
            },
            body: JSON.stringify({ name: 'Agency' }),
          }),
        )
        return async () => {
          await release()
          for (const { status } of await Promise.all(writes)) assert.ok(status < 300 || status === 503)
        }
      },
      refuses: false,
    },
    {
      title: 'the server has no free connection',
      breaks: async () => {
        const taken: Client[] = []
        const take = async () => {
          for (;;) {
            const client = new Client({ connectionString: server.url })
            client.on('error', () => undefined)
            try {
              await client.connect()
            } catch {
              return
            }
            taken.push(client)
          }
        }
        await take()
        // Those of the node are taken too, as soon as they are free.
        proxy.cut()
        await take()
        return async () => {
          for (const client of taken) await client.end()
        }
      },
      refuses: false,
    },
  ]

  for (const { title, breaks, refuses } of faults) {
    it(`answers right or 503, and recovers: ${title}`, async () => {
      let mend: () => Promise<unknown> = async () => undefined
      const tally = await underLoad(async (soFar) => {
        await untilMore(soFar, 'right', CALLERS)
        mend = await breaks()
        if (refuses) await untilMore(soFar, 'refused', CALLERS)
        await mend()
        mend = async () => undefined
        await untilMore(soFar, 'right', CALLERS)
      }).finally(() => mend())
      assert.ok(tally.longestMs < LONGEST_ANSWER_MS, `an answer took ${tally.longestMs} ms`)
      await recovers()
      await noMoreConnections()
    })
  }
})
