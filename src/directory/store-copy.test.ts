import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { tryAdvisoryLock } from '../postgres/advisory-locks.ts'
import { ask, testDatabase } from '../postgres/testing/postgres-server.ts'
import { hashApiKey } from './accounts/api-key.ts'
import { hashPsk } from './accounts/psk.ts'
import { openStores, type StorePlace, type Stores } from './open-stores.ts'
import { holdServiceLock } from './service-lock.ts'
import { copyToDatabase } from './store-copy.ts'
import { execution } from './testing/executions.ts'
import { type Filled, fillStores, SECRET_KEY } from './testing/filled-stores.ts'
import { BY, organization } from './testing/people-store.ts'

let data: string
let filled: Filled
before(async () => {
  data = await mkdtemp(join(tmpdir(), 'tripfolio-store-copy-'))
  filled = await fillStores(data)
})
after(() => rm(data, { recursive: true }))

const open = (place: StorePlace): Promise<Stores> =>
  openStores(place, { control: { secretKey: () => SECRET_KEY } })

async function withStores<T>(place: StorePlace, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await open(place)
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** What callers, scripts and operators see of both stores. */
async function contentOf({ control, history }: Stores) {
  const { accounts, endpoints, organizations, persons, facets, secrets, notifications, audit } = control
  const all = await organizations.list()
  const people = await persons.list()
  const drafts = await endpoints.list()
  return {
    accounts: await accounts.list(),
    byKey: await accounts.lookup(hashApiKey(filled.apiKey)),
    byPsk: await accounts.lookupPsk(hashPsk(filled.psk)),
    endpoints: await Promise.all(
      drafts.map(async ({ id }) => [await endpoints.find(id), await endpoints.versions(id)]),
    ),
    tenant: await control.tenant(),
    organizations: all,
    deleted: await organizations.deleted(),
    persons: people,
    facets: await facets.definitions(),
    values: await Promise.all([
      ...all.map(({ id }) => facets.instances('Organization', id)),
      ...people.map(({ id }) => facets.instances('Person', id)),
    ]),
    secret: await secrets.read('Payment'),
    notifications: await notifications.list('user:ann@example.com'),
    trail: (await audit.list({ limit: 1000 })).items,
    snapshots: await control.snapshots.list(),
    runs: (await history.list({}, { limit: 100 })).items,
    details: await Promise.all(
      (await history.list({}, { limit: 100 })).items.map(({ id }) => history.find(id)),
    ),
    statistics: await history.statistics(),
    notepads: await history.notepads.list({}),
  }
}

const rowsIn = async (url: string): Promise<number> => {
  const counts = ['accounts', 'audit', 'executions', 'notepads'].map(
    (table) => `(select count(*) from tripfolio.${table})`,
  )
  const [row] = await ask<{ rows: string }>(url, `select ${counts.join(' + ')} as rows`)
  return Number(row?.rows)
}

describe('the copy of the stores into a database', () => {
  it('holds what the data folder holds, and continues it', async (test) => {
    const { url } = await testDatabase(test)
    const { copied, tables } = await copyToDatabase(data, url)
    assert.equal(copied, true)
    assert.equal(tables.length, 43)
    for (const { table, rows, sha256 } of tables) {
      assert.ok(rows > 0, `the test has no rows of ${table}`)
      assert.match(sha256, /^[0-9a-f]{64}$/)
    }
    const place = { data, store: url }
    const [source, copy] = [await withStores(data, contentOf), await withStores(place, contentOf)]
    assert.deepEqual(copy, source)
    await withStores(place, async ({ control, history }) => {
      await history.record([execution()])
      await history.notepads.create({ ...(source.notepads[0] as object), id: crypto.randomUUID() } as never)
      await history.deliveries.claim('e', 'd', 60, new Date())
      await control.organizations.create(organization(), BY)
      await control.notifications.send(
        { title: 't', message: 'm', type: 'Info', link: null, audience: null },
        BY,
      )
      const { items } = await control.audit.list({ limit: 2 })
      assert.deepEqual(
        items.map(({ action }) => action),
        ['notification.send', 'organization.create'],
      )
    })
  })

  it('is compared when it is there already', async (test) => {
    const { url } = await testDatabase(test)
    const first = await copyToDatabase(data, url)
    const again = await copyToDatabase(data, url)
    assert.deepEqual(again, { ...first, copied: false })
  })

  it('is refused by a database with other content, which stays as it is', async (test) => {
    const { url } = await testDatabase(test)
    const place = { data, store: url }
    await copyToDatabase(data, url)
    const { id } = await withStores(place, ({ control }) => control.organizations.create(organization(), BY))
    const rows = await rowsIn(url)
    await assert.rejects(copyToDatabase(data, url), {
      code: 'DIR466',
      message:
        /other content: audit \(\d+ rows there, \d+ to copy\), organizations \(3 rows there, 2 to copy\)$/,
    })
    assert.equal(await rowsIn(url), rows)
    await withStores(place, ({ control }) => control.organizations.byId(id).then(assert.ok))
  })

  it('is undone when the database does not return what was written', async (test) => {
    const { url } = await testDatabase(test)
    await withStores({ data, store: url }, async () => undefined)
    await ask(
      url,
      `create function tripfolio.shorten() returns trigger language plpgsql as $$
        begin new.name = left(new.name, 3); return new; end $$`,
    )
    await ask(
      url,
      'create trigger shorten before insert on tripfolio.accounts for each row execute function tripfolio.shorten()',
    )
    await assert.rejects(copyToDatabase(data, url), { code: 'DIR467', message: /table 'accounts'/ })
    assert.equal(await rowsIn(url), 0)
    await ask(url, 'drop trigger shorten on tripfolio.accounts')
    assert.equal((await copyToDatabase(data, url)).copied, true)
  })

  it('is refused while a service runs on the data folder, or while another copy runs', async (test) => {
    const { url } = await testDatabase(test)
    const service = await holdServiceLock(data)
    await assert.rejects(copyToDatabase(data, url), { code: 'DIR452' })
    service?.release()
    const other = await tryAdvisoryLock(url, 'store-copy')
    await assert.rejects(copyToDatabase(data, url), { code: 'DIR465' })
    await other?.release()
    assert.equal((await copyToDatabase(data, url)).copied, true)
  })

  it('needs a control store', async (test) => {
    const { url } = await testDatabase(test)
    const empty = await mkdtemp(join(tmpdir(), 'tripfolio-store-copy-'))
    test.after(() => rm(empty, { recursive: true }))
    await assert.rejects(copyToDatabase(empty, url), { code: 'DIR106' })
  })

  it('says that the database cannot be reached', async () => {
    await assert.rejects(copyToDatabase(data, 'postgres://127.0.0.1:1/none'), { code: 'PGS101' })
  })
})
