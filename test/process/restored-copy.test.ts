/**
 * A copy beside its running original: whatever the original sends is sent once. The copy is a restored backup, or a node that was
 * started quiet. Both go on when somebody resumes them, and nothing of what was due is lost.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { spend } from '../../src/automation/testing/definitions.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { startMailServer } from '../../src/outbound/testing/mail-server.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { makeFolders } from './ingest-fixture.ts'
import { clientNumber, openInstallation } from './nodes.ts'
import { runCommand } from './run-command.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'

const YEAR_MS = 366 * 86_400_000

async function receiver(test: TestContext) {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push(request.headers['webhook-id'] === undefined ? body : 'webhook')
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  test.after(() => server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
}

/** Sends a request and a message; what it was called for is in the body. */
const sending = (url: string) => `var what = Data.request.body.what
var mail = SendMail({to: "a@example.com", subject: what, text: "x"})
var answer = HttpRequest({method: "POST", url: "${url}", body: {what: what}})
Data._payload = {mail: mail.error, http: answer.error, status: answer.status}`

const yearly: EndpointDefinition['schedules'][number] = {
  ...{ name: 'yearly', cron: '0 0 1 1 *', timeZone: 'UTC', input: { what: 'scheduled' } },
  ...{ missedRuns: 'once', overlap: false },
}

async function until(look: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(50)
}

async function tripfolio(data: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await runCommand([...args, '--data', data], {
    TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1',
  })
  assert.equal(code, 0, stderr)
  return stdout
}

async function auditOf(data: string, action: string) {
  const store = await openControlStore(data, { create: false })
  try {
    return (await store.audit.list({ action, limit: 10 })).items
  } finally {
    await store.close()
  }
}

const readiness = async ({ address }: Pick<ServingHere, 'address'>): Promise<Json> =>
  (await fetch(`${address}/readyz`)).json()

const called = async ({ address }: ServingHere): Promise<Json> =>
  (
    await fetch(`${address}/api/dynamic/v1/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"what":"called"}',
    })
  ).json()

describe('a restored copy beside its running original', () => {
  it('sends nothing until it is resumed, and then what was due', async (test) => {
    const { data } = await makeFolders(test)
    const copy = `${data}-copy`
    const { url, received } = await receiver(test)
    const mail = await startMailServer(test)
    const env = {
      ...{ TRIPFOLIO_TRUSTED_HOSTS: '127.0.0.1', TRIPFOLIO_SMTP_FROM: 'robot@example.com' },
      TRIPFOLIO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    }
    await publishExtract({ data }, fixtureExtract)
    const id = await prepare(data, url)
    await tripfolio(data, 'backup', `${data}-backup`)
    assert.match(await tripfolio(copy, 'restore', `${data}-backup`), /is quiet: .*`tripfolio resume --data/)

    const scheduled = async (folder: string) => {
      const store = await openControlStore(folder)
      const { lastRun } = await store.schedules.find({ endpointId: id, name: 'yearly' })
      await store.close()
      if (lastRun !== null) assert.equal(lastRun.status, 'Success', lastRun.error ?? '')
      return lastRun !== null
    }
    await whileServingHere(
      copy,
      async (quiet) => {
        await whileServingHere(
          data,
          async (original) => {
            await until(() => scheduled(data))
            await until(() => received.includes('webhook'))
            assert.deepEqual(await called(original), { mail: null, http: null, status: 204 })
          },
          { env },
        )
        const { mail: refusedMail, http, status } = await called(quiet)
        assert.deepEqual([refusedMail.code, http.code, status], ['DIR840', 'DIR840', 0])
        assert.match(
          http.message,
          /quiet since .*, by operator:.*, because: it was restored from the backup of/,
        )
        // Longer than a look at what is due.
        await sleep(1500)
        assert.deepEqual(received.toSorted(), ['webhook', '{"what":"called"}', '{"what":"scheduled"}'])
        assert.equal(mail.received.length, 2)
        const { held } = await readiness(quiet)
        assert.deepEqual([held.length, held[0].what], [1, 'outbound'])
        assert.match(
          quiet.output(),
          /"held":"outbound".*it was restored from the backup of.*quiet: schedules/,
        )

        assert.match(await tripfolio(copy, 'resume'), /^Resumed: .*It was quiet because it was restored\./s)
        await until(() => received.length === 5)
        assert.equal(received.filter((what) => what === 'webhook').length, 2)
        await until(() => scheduled(copy))
        assert.equal((await called(quiet)).status, 204)
        await quiet.until(/"msg":"resumed"/)
        assert.ok(!('held' in (await readiness(quiet))))
      },
      { env },
    )
    assert.ok(!existsSync(join(copy, 'quiet.json')))
    const [entry] = await auditOf(copy, 'resume')
    assert.deepEqual([entry?.subjectId, entry?.actor.startsWith('operator:')], ['outbound', true])
    await whileServingHere(copy, async (loud) => {
      assert.ok(!('held' in (await readiness(loud))))
    })
  })
})

/** An endpoint with a schedule that is due, and a webhook with a delivery. */
async function prepare(data: string, url: string): Promise<string> {
  const [account] = [
    JSON.parse(await tripfolio(data, 'account', 'create', '--client', clientNumber, '--name', 'A', '--json')),
  ]
  const hook = JSON.parse(
    await tripfolio(data, 'webhook', 'create', '--account', account.id, '--url', url, '--json'),
  )
  await tripfolio(data, 'webhook', 'test', hook.webhook.id)
  const store = await openControlStore(data)
  try {
    const route = { method: 'POST', path: 'send', requiresAuthentication: false } as const
    const allowedHosts = [new URL(url).host]
    // A busy machine takes long for a run.
    const limits = { milliseconds: 300_000 }
    const script = sending(url)
    const definition = { ...spend, ...route, limits, allowedHosts, schedules: [yearly], script }
    const { id } = await store.endpoints.create(definition, 'test')
    await store.endpoints.publish(id, 'test')
    const { handledUntil } = await store.schedules.find({ endpointId: id, name: 'yearly' })
    const before = new Date(Date.now() - 2 * YEAR_MS).toISOString()
    assert.ok(await store.schedules.skip({ endpointId: id, name: 'yearly' }, handledUntil, before))
    return id
  } finally {
    await store.close()
  }
}

describe('nodes of one store', () => {
  it('are quiet by themselves when they were started so, and leave the work to others', async (test) => {
    const installation = await openInstallation()
    test.after(installation.close)
    const { stores, startNode } = installation
    const isHeld = async (node: ServingHere) => 'held' in (await readiness(node))
    const quiet = await startNode({ env: { TRIPFOLIO_QUIET: 'true' } })
    assert.ok(await isHeld(quiet))
    const loud = await startNode()
    await loud.until(/scheduled work runs on this node/)
    assert.ok(!(await isHeld(loud)))
    assert.ok(!/scheduled work runs/.test(quiet.output()))
    await loud.close()
    await sleep(2500)
    assert.ok(!/scheduled work runs/.test(quiet.output()))
    await stores.control.holds.resume('outbound', 'operator:me', new Date().toISOString())
    await quiet.until(/scheduled work runs on this node/)
    assert.ok(!(await isHeld(quiet)))
  })

  it('are all quiet from the moment of the command, until the other command', async (test) => {
    const installation = await openInstallation()
    test.after(installation.close)
    const { stores, startNode, database } = installation
    const nodes = [await startNode(), await startNode()]
    const env = { TRIPFOLIO_STORE: database, TRIPFOLIO_DATA: await installation.newFolder() }
    const told = await runCommand(['quiet', '--reason', 'the copy of the test centre'], env)
    assert.equal(told.code, 0, told.stderr)
    for (const node of nodes) await node.until(/"held":"outbound".*the copy of the test centre/)
    const resumed = await runCommand(['resume'], env)
    assert.match(
      resumed.stdout,
      /It was quiet since .*, by operator:.*, because: the copy of the test centre/,
    )
    for (const node of nodes) await node.until(/"msg":"resumed"/)
    const { items } = await stores.control.audit.list({ limit: 10 })
    assert.deepEqual(
      items.filter(({ subjectId }) => subjectId === 'outbound').map(({ action }) => action),
      ['resume', 'hold'],
    )
  })
})
