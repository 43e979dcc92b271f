/** A refresh of the service tells those who wait: by webhooks that commands and keys register, and by the stream. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import type { Json } from '../fixtures/json.ts'
import { largeExtract, withoutRecordsOf } from '../fixtures/large-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'
import { whileServing } from './tripfolio-process.ts'

const extract = largeExtract({ clients: 3, bookings: 2 })

const env = { TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1', TRIPFOLIO_CLIENT_WEBHOOKS: 'allow' }

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

async function receiver(test: TestContext, statusOf: (count: number) => number = () => 204) {
  const received: Received[] = []
  const news = new EventTarget()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.writeHead(statusOf(received.length)).end()
    news.dispatchEvent(new Event('received'))
  }).listen(0, '127.0.0.1')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const until = async (count: number) => {
    while (received.length < count) await once(news, 'received')
  }
  return { url, received, until }
}

/** Runs a command that prints JSON. */
async function run(data: string, ...args: string[]): Promise<Json> {
  const { stdout, stderr, code } = await runCommand([...args, '--data', data, '--json'], env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const dataOf = ({ body }: Received) => JSON.parse(body).data

type Client = {
  readonly client: string
  readonly apiKey: string
  readonly hook: Awaited<ReturnType<typeof receiver>>
  readonly secret: string
}

/** The data of the first event of a stream. */
async function firstEvent({ body }: Response): Promise<Json> {
  let text = ''
  const decoded = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())
  for await (const chunk of decoded) {
    text += chunk
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? []
    if (data !== undefined) return JSON.parse(data).data
  }
  return assert.fail(`The stream ended without an event: ${text}`)
}

describe('when the data of a client changed', () => {
  it('its webhooks are sent what changed, those of other clients nothing, and streams tell it live', async (test) => {
    const folders = await makeFolders(test)
    const { data, source } = folders
    await publishExtract(folders, extract)
    const account = await run(data, 'account', 'create', '--client', 'L001', '--name', 'Export')
    const other = await run(data, 'account', 'create', '--client', 'L002', '--name', 'Other')
    const { url, received, until } = await receiver(test)
    const silent = await receiver(test)
    const { webhook, secret } = await run(data, 'webhook', 'create', '--account', account.id, '--url', url)
    await whileServingHere(
      data,
      async ({ address, until: untilLogged }) => {
        await untilLogged(/changes recorded/)
        const own = await fetch(`${address}/api/events/v1/webhooks`, {
          method: 'POST',
          headers: { 'X-API-Key': other.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ url: silent.url }),
        })
        assert.equal(own.status, 201)
        const stop = new AbortController()
        test.after(() => stop.abort())
        const stream = await fetch(`${address}/api/events/v1/stream`, {
          headers: { 'X-API-Key': account.apiKey },
          signal: stop.signal,
        })
        await writeExtract(source, withoutRecordsOf(extract, ['L001']), 'csv')
        await refresh(folders)
        await until(1)
        const [delivery] = received as [Received]
        new Verifier(secret).verify(delivery.body, delivery.headers as Record<string, string>)
        assert.equal(dataOf(delivery).clientNumber, 'L001')
        assert.deepEqual(dataOf(delivery).lists, {
          bookings: { added: 0, changed: 0, removed: 2, changes: '/api/v2/bookings/changes' },
          itineraries: { added: 0, changed: 0, removed: 2, changes: '/api/v2/itineraries/changes' },
          invoices: { added: 0, changed: 0, removed: 2, changes: '/api/v2/invoices/changes' },
        })
        assert.equal((await firstEvent(stream)).clientNumber, 'L001')
        assert.equal(silent.received.length, 0)
        const [logged] = await run(data, 'webhook', 'deliveries', webhook.id)
        assert.equal(logged.id, delivery.headers['webhook-id'])
      },
      { env },
    )
  })

  it('of several clients in one refresh, each gets its own and nothing of the others', async (test) => {
    const folders = await makeFolders(test)
    const { data, source } = folders
    await publishExtract(folders, extract)
    const clients = await Promise.all(
      ['L001', 'L002', 'L003'].map(async (client) => {
        const account = await run(data, 'account', 'create', '--client', client, '--name', client)
        const hook = await receiver(test)
        const args = ['--account', account.id, '--url', hook.url]
        const { secret } = await run(data, 'webhook', 'create', ...args)
        return { client, apiKey: account.apiKey as string, hook, secret }
      }),
    )
    await whileServingHere(
      data,
      async ({ address, until: untilLogged }) => {
        await untilLogged(/changes recorded/)
        const stop = new AbortController()
        test.after(() => stop.abort())
        const streams = await Promise.all(
          clients.map(({ apiKey }) =>
            fetch(`${address}/api/events/v1/stream`, {
              headers: { 'X-API-Key': apiKey },
              signal: stop.signal,
            }),
          ),
        )
        // L001 loses both of its bookings, one of L002 changes, and L003 stays as it is.
        const left = withoutRecordsOf(extract, ['L001'])
        const changed = left.bookings.findIndex(({ client_number: client }) => client === 'L002')
        const tables = {
          ...left,
          bookings: left.bookings.map((row, at) =>
            at === changed ? { ...row, originating_agency: 'Elsewhere' } : row,
          ),
        }
        await writeExtract(source, tables, 'csv')
        await refresh(folders)
        const [first, second, third] = clients as [Client, Client, Client]
        await Promise.all([first.hook.until(1), second.hook.until(1)])
        const counts = [
          { added: 0, changed: 0, removed: 2, changes: '/api/v2/bookings/changes' },
          { added: 0, changed: 1, removed: 0, changes: '/api/v2/bookings/changes' },
        ]
        for (const [at, { client, hook, secret }] of [first, second].entries()) {
          const [delivery] = hook.received as [Received]
          new Verifier(secret).verify(delivery.body, delivery.headers as Record<string, string>)
          const { clientNumber, lists } = dataOf(delivery)
          assert.deepEqual([clientNumber, lists.bookings], [client, counts[at]])
        }
        const told = await Promise.all(streams.slice(0, 2).map(firstEvent))
        assert.deepEqual(
          told.map(({ clientNumber, lists }) => [clientNumber, lists.bookings]),
          [
            ['L001', counts[0]],
            ['L002', counts[1]],
          ],
        )
        assert.deepEqual(
          [first, second, third].map(({ hook }) => hook.received.length),
          [1, 1, 0],
        )
      },
      { env },
    )
  })

  it('a webhook is sent although the service was killed before its receiver took it', async (test) => {
    const folders = await makeFolders(test)
    const { data, source } = folders
    await publishExtract(folders, extract)
    const account = await run(data, 'account', 'create', '--client', 'L001', '--name', 'Export')
    const { url, received, until } = await receiver(test, (count) => (count === 1 ? 500 : 200))
    await run(data, 'webhook', 'create', '--account', account.id, '--url', url)
    await whileServing(
      data,
      async ({ kill, until: untilLogged }) => {
        await untilLogged(/changes recorded/)
        await writeExtract(source, withoutRecordsOf(extract, ['L001']), 'csv')
        await refresh(folders)
        await until(1)
        await kill('SIGKILL')
      },
      { env },
    )
    await whileServingHere(data, () => until(2), { env })
    assert.equal(received[0]?.headers['webhook-id'], received[1]?.headers['webhook-id'])
    assert.deepEqual(dataOf(received[0] as Received), dataOf(received[1] as Received))
  })
})

describe('the commands of webhooks', () => {
  it('change, pause, test and remove a webhook, and refuse what cannot be', async (test) => {
    const folders = await makeFolders(test)
    const { data } = folders
    const account = await run(data, 'account', 'create', '--client', 'L001', '--name', 'Export')
    const url = 'https://example.com/hook'
    const { webhook } = await run(
      data,
      'webhook',
      'create',
      '--account',
      'Export',
      '--url',
      url,
      '--lists',
      'invoices',
    )
    assert.deepEqual([webhook.accountId, webhook.lists], [account.id, ['invoices']])
    const [changed] = await run(data, 'webhook', 'change', webhook.id, '--lists', 'all', '--pause')
    assert.deepEqual([changed.lists, changed.isActive], [null, false])
    assert.equal((await run(data, 'webhook', 'change', webhook.id.slice(0, 8), '--resume'))[0].isActive, true)
    const [sent] = await run(data, 'webhook', 'test', webhook.id.slice(0, 8))
    assert.equal(
      (await run(data, 'webhook', 'resend', webhook.id.slice(0, 8), sent.id.slice(0, 8)))[0].id,
      sent.id,
    )
    assert.match((await run(data, 'webhook', 'rotate-secret', webhook.id)).secret, /^whsec_/)
    const shown = await runCommand(['webhook', 'list', '--data', data])
    assert.match(shown.stdout, /example\.com\/hook +all +active/)
    for (const [args, code] of [
      [['create', '--account', 'Export', '--url', 'http://example.com/'], 'OUT101'],
      [['create', '--account', 'Export', '--url', url, '--lists', 'trips'], 'DIR650'],
      [['change', webhook.id, '--url', 'http://example.com/'], 'OUT101'],
      [['change', webhook.id, '--url', 'https://169.254.169.254/'], 'OUT102'],
      [['deliveries', 'x'], 'DIR653'],
      [['delete', webhook.id], 'DIR451'],
    ] as const) {
      const refused = await runCommand(['webhook', ...args, '--data', data, '--json'])
      assert.notEqual(refused.code, 0)
      assert.match(refused.stderr, new RegExp(code))
    }
    assert.equal((await run(data, 'webhook', 'delete', webhook.id, '--yes')).deleted, true)
    assert.deepEqual(await run(data, 'webhook', 'list'), [])
  })
})
