import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import type { ControlTables } from '../control-tables.ts'
import { controlStorePath, openControlStore } from '../open-stores.ts'
import { openQueries } from '../sqlite/open-queries.ts'
import { BY, changesOf, makeStores, organization, refusedWith } from '../testing/people-store.ts'
import { renameTenant, tenantOf } from './tenant.ts'

const made: { readonly remove: () => Promise<void> }[] = []
after(async () => {
  for (const stores of made) await stores.remove()
})
const freshStores = () => {
  const stores = makeStores()
  made.push(stores)
  return stores
}

describe('the tenant', () => {
  it('is the same for many simultaneous first calls', async () => {
    const stores = freshStores()
    const opened = await Promise.all(Array.from({ length: 4 }, stores.open))
    const tenants = await Promise.all(opened.flatMap(({ tenant }) => [tenant(), tenant()]))
    const created = await Promise.all(opened.map((store) => store.organizations.create(organization(), BY)))
    const ids = [...tenants.map(({ id }) => id), ...created.map(({ tenantId }) => tenantId)]
    assert.equal(new Set(ids).size, 1)
    assert.equal(tenants[0]?.name, 'Tripfolio')
  })

  it('keeps its id when it is renamed, which leaves an audit entry unless the name is the same', async () => {
    const store = await freshStores().open()
    const { id } = await store.tenant()
    assert.deepEqual(await store.renameTenant(' Acme ', BY), { id, name: 'Acme' })
    await store.renameTenant('Acme', BY)
    assert.deepEqual(await store.tenant(), { id, name: 'Acme' })
    assert.deepEqual(await changesOf(store, id), [
      { action: 'tenant.rename', before: { name: 'Tripfolio' }, after: { name: 'Acme' } },
    ])
  })

  it('is answered without an id while the disk cannot be written, and has one afterwards', async () => {
    const stores = freshStores()
    await (await openControlStore(stores.folder)).close()
    const path = controlStorePath(stores.folder)
    const database = new DatabaseSync(path)
    const { queries, close } = openQueries<ControlTables>(database, path)
    database.exec('pragma query_only = on')
    assert.deepEqual(await tenantOf(queries), {
      id: '00000000-0000-0000-0000-000000000000',
      name: 'Tripfolio',
    })
    await assert.rejects(renameTenant(queries, 'Acme', BY), refusedWith('DIR108'))
    database.exec('pragma query_only = off')
    const { id } = await tenantOf(queries)
    assert.doesNotMatch(id, /^0{8}-0000/)
    assert.deepEqual(await renameTenant(queries, 'Acme', BY), { id, name: 'Acme' })
    await close()
  })

  it('refuses a name that is blank, too long, or of two lines', async () => {
    const store = await freshStores().open()
    for (const name of ['', ' ', 'x'.repeat(201), 'a\nb', 'a\u2028b']) {
      await assert.rejects(store.renameTenant(name, BY), refusedWith('DIR437'))
    }
  })
})
