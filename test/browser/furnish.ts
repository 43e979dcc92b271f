/**
 * Fills a site as after some weeks of use: endpoints of the examples with runs that succeeded and failed, organizations,
 * people, facets, secrets, accounts, webhooks and notifications.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { runCommand } from '../process/run-command.ts'
import { whileServingHere } from '../process/service-in-process.ts'
import { issuerOf, type Site, until } from './site.ts'

const examples = join(import.meta.dirname, '../../examples/endpoints')

/** For `openSite`: a demo of several clients, the endpoints of the examples, and what was done with them. */
export async function prepareFurnished(data: string, source: string): Promise<void> {
  const folder = await (furnished ??= furnishOnce())
  await cp(join(folder, 'data'), data, { recursive: true, preserveTimestamps: true })
  await cp(join(folder, 'extract'), source, { recursive: true, preserveTimestamps: true })
}

let furnished: Promise<string> | undefined

/** Costs several seconds, so all files of a process have copies of one folder; gives its path. */
async function furnishOnce(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-furnished-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const source = join(folder, 'extract')
  await publishDemo({ data, source }, { clients: 6, bookings: 1500 })
  for (const name of ['travel-alerts', 'approvals', 'erp-token']) {
    await succeed(['secret', 'set', name, '--data', data], 'correct horse battery staple')
  }
  await succeed(['endpoint', 'push', examples, '--publish', '--data', data])
  await recordDay(data)
  await whileServingHere(data, ({ address }) => furnish(address.replace(/\/$/, ''), issuerOf(data)), {
    source,
  })
  return folder
}

/** Requests of the day before: most in the afternoon, a few refused, one failed. */
async function recordDay(data: string): Promise<void> {
  const quarter = 15 * 60_000
  const now = Math.floor(Date.now() / quarter) * quarter
  const counts = (requests: number, failures: number) => ({
    buckets: [0, 2, 5, 9, 16, 30, 24, 9, 3, 1, 1, 0, 0, 0].map((share) =>
      Math.round((requests * share) / 100),
    ),
    failures,
    refusals: Math.round(requests / 40),
  })
  const minutes = Array.from({ length: 95 }, (_, index) => {
    const busy = 1 - Math.cos((2 * Math.PI * (index + 8)) / 96)
    return {
      minute: new Date(now - (95 - index) * quarter).toISOString(),
      counts: {
        v2: counts(100 + busy * (240 + ((index * 37) % 60)), index === 60 ? 1 : 0),
        dynamic: counts(20 + busy * 40, 0),
      },
    }
  })
  const store = await openControlStore(data)
  await store.requestMinutes.record('furnished', minutes, new Date())
  await store.close()
}

async function succeed(args: readonly string[], input = ''): Promise<void> {
  const { code, stderr } = await runCommand(args, {}, input)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
}

type Json = Readonly<Record<string, unknown>>

async function furnish(address: string, tokenFor: Site['tokenFor']): Promise<void> {
  const authorization = `Bearer ${await tokenFor('admin', 'reports', 'travel-desk', 'erp')}`
  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }
  const post = (path: string, body: Json) => call('POST', `/api/admin/v1${path}`, body)

  const group = await post('/organizations', { name: 'Southern Cross Group', number: 'G100' })
  for (const [index, name] of [
    'Southern Cross Mining',
    'Southern Cross Rail',
    'Southern Cross Energy',
  ].entries()) {
    await post('/organizations', { name, number: `C0000${index + 1}`, parentOrganizationId: group.id })
  }
  for (const [firstName, lastName] of [
    ['Ana', 'Marek'],
    ['Ben', 'Okafor'],
    ['Chloé', 'Dubois'],
    ['Đorđe', 'Petrović'],
  ] as const) {
    const emailAddress = `${firstName}.${lastName}@example.com`
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^\w.@]/g, '')
    await post('/persons', { firstName, lastName, emailAddress, organizationIds: [group.id] })
  }
  await post('/facet-definitions', {
    ...{ resourceType: 'Organization', category: 'Billing', name: 'Credit limit' },
    description: 'The most that may be outstanding',
    allowFreeText: true,
  })
  const { account } = await post('/accounts', {
    ...{ clientNumber: 'C00002', name: 'Nightly export' },
    notes: 'Asked for by their finance team',
  })
  await post('/accounts', {
    ...{ clientNumber: 'C00003', name: 'Trial of the portal' },
    expiresAt: new Date(Date.now() + 12 * 86_400_000).toISOString(),
  })
  await post('/webhooks', {
    accountId: (account as Json).id,
    url: 'https://hooks.example.com/tripfolio',
    description: 'Data warehouse',
    isActive: false,
  })
  await post('/notifications', {
    title: 'Maintenance on Sunday',
    message: 'The warehouse is read at 04:00 instead of 02:00.',
    type: 'Info',
  })
  await post('/modules', {
    ...{ name: 'fees', description: 'What is charged for a booking' },
    script: 'func fee(amount)\n  return amount * 0.02\nend\n',
  })
  await post('/modules/fees/publish', { note: 'First version', revision: 1 })
  await post('/snapshots/refresh', {})
  await until(async () => (await call('GET', '/api/admin/v1/snapshots/refresh')).state !== 'running')
  for (const path of [
    '/utility/health',
    '/utility/broken/fail',
    '/reports/spend/C00001?from=2025-11-01&to=2025-12-31',
    '/reports/carbon/C00004?from=2025-12-01&to=2025-12-31',
    '/reports/unused-tickets/C00001?on=2026-01-01&format=csv',
    '/reports/spend/C00001?from=yesterday',
    '/reports/spend/C99999',
  ]) {
    const response = await fetch(`${address}/api/dynamic/v1${path}`, { headers: { authorization } })
    await response.arrayBuffer()
  }
}
