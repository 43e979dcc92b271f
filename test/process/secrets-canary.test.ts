/**
 * A different secret comes in by every way there is; afterwards none of them is found anywhere: not in the data folder, not in
 * the log, not in what the admin API tells.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { startMailServer } from '../../src/outbound/testing/mail-server.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { runCommand } from './run-command.ts'
import { whileServing } from './tripfolio-process.ts'

let folder: string
let data: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-canary-'))
  data = join(folder, 'data')
  await publishExtract({ data }, fixtureExtract)
})
after(() => rm(folder, { recursive: true, force: true }))

/** Every one is another text, so that what is found tells which way it came. */
const canary = (way: string): string => `canary-${way}-${crypto.randomUUID().replaceAll('-', '')}`

const canaries = {
  jwtSecret: canary('jwt-secret'),
  stored: canary('stored'),
  read: canary('read'),
  webhook: canary('webhook'),
  cookie: canary('cookie'),
  apiKeyHeader: canary('api-key-header'),
  psk: canary('psk'),
  basic: canary('basic'),
  queryToken: canary('query-token'),
  bodyPassword: canary('body-password'),
  formSecret: canary('form-secret'),
  signature: canary('signature'),
  customHeader: canary('custom-header'),
  wrongApiKey: canary('wrong-api-key'),
  sent: canary('sent'),
  smtpPassword: canary('smtp-password'),
} as const

const secretKey = Buffer.alloc(32, 7).toString('hex')

const definition = (path: string, script: string, more: Partial<EndpointDefinition> = {}) => ({
  name: path,
  category: 'Webhook',
  method: 'POST',
  path,
  requiresAuthentication: false,
  // How fast a busy machine is, is not what is tested.
  limits: { milliseconds: 60_000 },
  signature: null,
  deduplication: null,
  record: 'full',
  maskedFields: [],
  script,
  ...more,
})

const READS = `
var secret = GetSecret("Payment")
Log("Information", "the secret is " + secret)
CreateNotepad({ "kept": secret, "headers": Data.request.headers })
BroadcastNotification("t " + secret, "for everybody: " + secret, "Info", "/x?" + secret)
Data._headers = { "X-Echo": secret }
Data._payload = { "secret": secret, "request": Data.request }
`
const SENDS = (erp: string) => `
var answer = HttpRequest({
  method: "POST", url: "${erp}/orders?key=" + GetSecret("Payment"), body: {"of": GetSecret("Payment")},
  secretHeaders: {"Authorization": "Bearer {ERP}", "X-Both": "{ERP}.{ERP}"}
})
Log("Information", "it answered " + answer.body)
var lost = HttpRequest({url: "${erp}/lost", secretHeaders: {"Authorization": "Bearer {ERP}"}})
Log("Information", "it said " + lost.error.message)
var mail = SendMail({to: "ada@example.com", subject: "for " + GetSecret("Payment"), text: answer.body})
Data._payload = { "status": answer.status, "body": answer.body, "lost": lost.error.code, "sent": mail.sent }
`
const FAILS = 'fail "because " + GetSecret("Payment") + Data.request.rawBody'

describe('a secret', () => {
  it('is nowhere to be found afterwards, whichever way it came', async (test) => {
    const erp = await startEcho(test)
    const mail = await startMailServer(test, {
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
    })
    const issued: string[] = []
    let log = ''
    const told: string[] = []
    const env = {
      TRIPFOLIO_JWT_SECRET: canaries.jwtSecret,
      TRIPFOLIO_SECRET_KEY: secretKey,
      ...sending(mail.port),
    }
    const { stdout } = await runCommand(['token', 'issue', '--role', 'admin', '--data', data], env)
    const token = stdout.trim()
    issued.push(token, token.split('.').at(-1) as string)

    await whileServing(
      data,
      async ({ address, output, kill }) => {
        const admin = async (method: string, path: string, body?: object): Promise<unknown> => {
          const response = await fetch(`${address}/api/admin/v1${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              'if-match': '*',
              'content-type': 'application/json',
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          })
          const text = await response.text()
          assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
          if (method === 'GET') told.push(text)
          return text === '' ? null : JSON.parse(text)
        }
        await admin('PUT', '/secrets/Payment', { value: canaries.read })
        await admin('PUT', '/secrets/Unused', { value: canaries.stored })
        await admin('PUT', '/secrets/ERP', { value: canaries.sent })
        await admin('PUT', '/secrets/Hook', { value: canaries.webhook })
        const account = { clientNumber: fixtureExtract.clients[0]?.client_number, name: 'canary' }
        const { apiKey, account: made } = (await admin('POST', '/accounts', account)) as {
          apiKey: string
          account: { id: string }
        }
        const { psk } = (await admin('POST', `/accounts/${made.id}/psk`)) as { psk: string }
        issued.push(apiKey, psk)

        const hook = { style: 'github', secret: 'Hook' } as const
        for (const draft of [
          definition('reads', READS),
          definition('fails', FAILS),
          definition('sends', SENDS(`http://127.0.0.1:${erp.port}`), {
            allowedHosts: [`127.0.0.1:${erp.port}`],
          }),
          definition('hook', READS, { signature: hook }),
        ]) {
          const { id } = (await admin('POST', '/endpoints', draft)) as { id: string }
          await admin('POST', `/endpoints/${id}/publish`, {})
        }

        const headers = {
          authorization: `Bearer ${token}`,
          cookie: `session=${canaries.cookie}`,
          'x-api-key': canaries.apiKeyHeader,
          psk: canaries.psk,
          'x-hub-signature': canaries.signature,
          'x-auth-token': canaries.customHeader,
        }
        const json = { 'content-type': 'application/json' }
        const form = { 'content-type': 'application/x-www-form-urlencoded' }
        const jsonBody = JSON.stringify({ user: { password: canaries.bodyPassword } })
        const digest = createHmac('sha256', canaries.webhook).update(jsonBody).digest('hex')
        issued.push(digest)
        const calls: readonly (readonly [path: string, init: RequestInit, status: number])[] = [
          [`reads?token=${canaries.queryToken}`, { headers: { ...headers, ...json }, body: jsonBody }, 200],
          ['reads', { headers: { ...headers, ...form }, body: `secret=${canaries.formSecret}&a=1` }, 200],
          ['reads', { headers: { authorization: `Basic ${btoa(`u:${canaries.basic}`)}` } }, 200],
          [`fails?api_key=${canaries.queryToken}`, { headers: { ...headers, ...json }, body: jsonBody }, 500],
          ['hook', { headers: { ...json, 'x-hub-signature-256': `sha256=${digest}` }, body: jsonBody }, 200],
          ['hook', { headers: { ...json, 'x-hub-signature-256': canaries.signature }, body: jsonBody }, 401],
        ]
        for (const [path, init, status] of calls) {
          const response = await fetch(`${address}/api/dynamic/v1/${path}`, { method: 'POST', ...init })
          assert.equal(response.status, status, `${path}: ${await response.text()}`)
        }
        const sent = await fetch(`${address}/api/dynamic/v1/sends`, { method: 'POST' })
        const { status, body, lost, sent: isSent } = (await sent.json()) as Record<string, unknown>
        assert.deepEqual([status, lost, isSent], [200, 'OUT111', true])
        assert.ok(String(body).includes(canaries.sent) && mail.received[0]?.source.includes(canaries.read))
        for (const [given, status] of [
          [apiKey, 200],
          [canaries.wrongApiKey, 401],
        ] as const) {
          const response = await fetch(`${address}/api/v2/bookings?$pageSize=1`, {
            headers: { 'X-API-Key': given },
          })
          assert.equal(response.status, status)
        }
        const version1 = await fetch(`${address}/api/v1/bookings`, { headers: { psk } })
        assert.equal(version1.status, 200)

        let items: { readonly id: string }[] = []
        while (items.length < 6) {
          items = ((await admin('GET', '/executions')) as { items: { readonly id: string }[] }).items
        }
        for (const { id } of items) {
          await admin('GET', `/executions/${id}`)
          await admin('GET', `/executions/${id}/notepads`)
        }
        for (const path of [
          '/audit?limit=500',
          '/accounts',
          '/secrets',
          '/endpoints',
          '/notifications',
          '/clients',
        ]) {
          await admin('GET', path)
        }
        await kill('SIGTERM')
        log = output()
      },
      { env, args: ['--threads', '2'] },
    )

    const places: [place: string, content: Buffer][] = [
      ['the log', Buffer.from(log)],
      ...told.map((answer): [string, Buffer] => [
        `an admin answer (${answer.slice(0, 60)})`,
        Buffer.from(answer),
      ]),
    ]
    for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      places.push([path, await readFile(path)])
    }
    assert.ok(places.some(([place]) => place.endsWith('history.db')))
    assert.match(log, /HttpRequest POST 127\.0\.0\.1 in \d+ ms: 200/)
    assert.match(log, /SendMail to 1 recipients/)
    const secrets = [...Object.values(canaries), ...issued, secretKey, Buffer.alloc(32, 7).toString('base64')]
    const found = secrets.flatMap((secret) => {
      const forms = [secret, encodeURIComponent(secret), ...base64Of(secret)]
      return places
        .filter(([, content]) => forms.some((form) => content.includes(form)))
        .map(([place]) => `${secret.slice(0, 24)} in ${place}`)
    })
    assert.deepEqual(found, [])
    // The search finds what is there.
    const history = places.filter(([place]) => place.includes('history.db')).map(([, content]) => content)
    assert.ok(history.some((content) => content.includes('[redacted]')))
  })
})

/** The settings of a service that sends to this machine, and logs everything. */
const sending = (smtpPort: number) => ({
  TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1',
  TRIPFOLIO_SMTP_URL: `smtp://robot@127.0.0.1:${smtpPort}`,
  TRIPFOLIO_SMTP_PASSWORD: canaries.smtpPassword,
  TRIPFOLIO_SMTP_FROM: 'reports@example.com',
  TRIPFOLIO_LOG_LEVEL: 'debug',
})

/** Answers with what it was sent; a request to `/lost` gets no answer. */
async function startEcho(test: Pick<TestContext, 'after'>): Promise<{ readonly port: number }> {
  const server = createServer(async (request, response) => {
    if (request.url === '/lost') return void request.socket.destroy()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url, headers } = request
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ url, headers, body: Buffer.concat(chunks).toString() }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port }
}

/** The inside of it at each of the three places that a text can begin at in base64. */
const base64Of = (text: string): string[] =>
  [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + text)
      .toString('base64')
      .slice(4, -6),
  )

/** The store that the service has used opens again: what was looked at was not a wreck. */
describe('the data folder of the search', () => {
  it('holds what was set', async () => {
    const store = await openControlStore(data, { secretKey: () => Buffer.alloc(32, 7) })
    try {
      assert.equal(await store.secrets.read('payment'), canaries.read)
    } finally {
      await store.close()
    }
  })
})
