/** Stores with rows in every table, made by the operations of the product. */
import { openStores } from '../open-stores.ts'
import { definition } from './endpoint-store.ts'
import { execution, failed, HOOKS } from './executions.ts'
import { BY, facet, organization, person } from './people-store.ts'

export const SECRET_KEY = Buffer.alloc(32, 7)

export type Filled = { readonly apiKey: string; readonly psk: string; readonly endpointPath: string }

/** Texts that a copy by text could change. */
const ODD = 'tab\t, line\n, return\r, \\N, \\., "quote", größe, 日本, 👩‍✈️, \u2028'

export async function fillStores(dataFolder: string): Promise<Filled> {
  const stores = await openStores(dataFolder, { control: { secretKey: () => SECRET_KEY } })
  const { control, history } = stores
  const { accounts, endpoints, organizations, persons, facets, secrets, notifications } = control
  await control.renameTenant('Agency', BY)
  const created = await accounts.create({ clientNumber: 'C1', name: 'Export' }, BY)
  const { apiKey } = await accounts.rotate(created.account.id, BY)
  const { psk } = await accounts.issuePsk(created.account.id, BY)
  await accounts.setLocked(
    (await accounts.create({ clientNumber: 'C2', name: 'Locked' }, BY)).account.id,
    true,
    BY,
  )
  accounts.noteUse(created.account.id)
  accounts.noteAnswer(created.account.id, 2 ** 40, '2001:db8::1')
  await control.keptAnswers.keep({ caller: BY, key: 'k'.repeat(16), content: ODD }, ODD)

  const schedule = { name: 'nightly', cron: '@daily', timeZone: 'UTC', input: { odd: ODD } } as const
  const draft = definition({
    path: 'filled',
    script: 'Data._payload = GetSecret("Payment")',
    description: ODD,
    schedules: [{ ...schedule, missedRuns: 'once', overlap: false }],
  })
  const { id } = await endpoints.create(draft, BY)
  await endpoints.publish(id, BY)
  const key = { endpointId: id, name: 'nightly' }
  await control.schedules.requestRun(key, crypto.randomUUID(), BY, new Date('2026-03-01T10:00:00Z'))
  await control.schedules.setPaused(key, true, BY, new Date('2026-03-01T10:00:01Z'))
  await endpoints.saveDraft(id, { ...draft, script: 'Data._payload = 2' }, BY)
  await endpoints.create(definition(), BY)

  await control.modules.create('fees', { description: ODD, script: 'func fee() end' }, BY)
  await control.modules.publish('fees', BY)
  await control.scriptState.set(id, ODD, JSON.stringify(ODD))

  const parent = await organizations.create(organization({ description: ODD }), BY)
  const child = await organizations.create(organization({ parentOrganizationId: parent.id }), BY)
  await organizations.delete((await organizations.create(organization(), BY)).id, BY)
  const traveller = await persons.create(person([child.id, parent.id]), BY)
  const ofOrganization = await facets.createDefinition(facet({ values: ['a', 'b'] }), BY)
  const ofPerson = await facets.createDefinition(facet({ resourceType: 'Person', allowFreeText: true }), BY)
  await facets.setInstance('Organization', parent.id, ofOrganization.id, ['b'], BY)
  await facets.setInstance('Person', traveller.id, ofPerson.id, [ODD], BY)
  await secrets.set('Payment', { value: 'canary' }, BY)
  const message = { title: 'News', message: ODD, type: 'Info', link: null, audience: null } as const
  const { id: news } = await notifications.send(message, BY)
  await notifications.send(message, BY)
  await notifications.markRead(news, 'user:ann@example.com')

  await control.refreshes.begin({
    id: crypto.randomUUID(),
    node: 'here:/data',
    origin: 'service',
    requestedBy: BY,
    startedAt: '2026-03-01T10:00:00.000Z',
    aliveUntil: '2026-03-01T10:00:30.000Z',
  })
  await control.holds.hold('schedules', { at: '2026-03-01T10:00:00.000Z', by: BY, reason: ODD })
  const snapshot = await control.snapshots.begin(() => '101')
  await control.snapshots.publish(snapshot.id, { key: 'here/101/m', bytes: 2 ** 33 }, BY)
  await control.snapshots.begin(() => '102')

  const { webhook } = await control.webhooks.create(
    created.account,
    { url: 'https://example.com/', description: ODD },
    BY,
  )
  await control.webhooks.rotateSecret(webhook.id, BY)
  const lists = { bookings: { added: 1, changed: null, removed: 0, changes: ODD } }
  await control.dataChanges.record({ from: null, to: '101' }, [
    { clientNumber: 'C1', snapshotId: '101', lists },
  ])

  const counts = { v2: { buckets: [1], failures: 0, refusals: 0 } }
  await control.requestMinutes.record('p', [{ minute: '2026-03-01T10:00:00.000Z', counts }], new Date(0))

  const run = execution({ errorMessage: ODD })
  await history.record([run, execution(failed('because')), execution({ executionTimeMs: 1 / 3 })])
  await history.notepads.create({
    id: crypto.randomUUID(),
    sourceId: null,
    executionId: run.id,
    createdAt: '2026-03-01T10:00:00.005Z',
    createdBy: BY,
    content: { kept: ODD },
  })
  await history.reruns.create({
    id: crypto.randomUUID(),
    ...{ requestedBy: BY, requestId: null, filter: { text: ODD }, version: 'original' },
    executionIds: [run.id],
  })
  await history.deliveries.claim(HOOKS, 'delivery-1', 3600, new Date('2026-03-01T10:00:00Z'))
  await stores.close()
  return { apiKey, psk, endpointPath: 'filled' }
}
