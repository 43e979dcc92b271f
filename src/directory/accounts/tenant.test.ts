import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { BY, changesOf, makeStores, organization, refusedWith } from '../testing/people-store.ts'

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

  it('refuses a name that is blank, too long, or of two lines', async () => {
    const store = await freshStores().open()
    for (const name of ['', ' ', 'x'.repeat(201), 'a\nb', 'a\u2028b']) {
      await assert.rejects(store.renameTenant(name, BY), refusedWith('DIR437'))
    }
  })
})
