/** The commands of operators while the setting `store` names a PostgreSQL database. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { controlStorePath, openControlStore } from '../../directory/open-stores.ts'
import { type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { DataFolder } from '../../snapshot/testing/data-folder.ts'
import { type Called, callCli } from '../testing/call-cli.ts'

describe('commands on a store in PostgreSQL', () => {
  let data: DataFolder
  let database: TestDatabase
  before(async () => {
    data = await DataFolder.make()
    await data.publish({ A: 'OLD' })
    await data.publish({ A: 'NEW' })
    database = await testDatabase()
  })
  after(async () => {
    await data.remove()
    await database.drop()
  })

  const call = (args: readonly string[], { env = {}, input = '' } = {}): Promise<Called> =>
    callCli(args, { env: { TRIPFOLIO_DATA: data.path, TRIPFOLIO_STORE: database.url, ...env }, input })

  it('refuse a database without a store, and name it', async () => {
    const { code, stderr } = await call(['account', 'list'])
    assert.equal(code, 5)
    assert.match(stderr, /There is no control store at 127\.0\.0\.1:\d+\/test_\w+.*--store/s)
  })

  it('say on which database they work, and make no file', async () => {
    const created = await call(['account', 'create', '--client', 'A', '--name', 'Export'])
    assert.equal(created.code, 0)
    assert.match(created.stderr, /^tripfolio: on the database 127\.0\.0\.1:\d+\/test_\w+\n$/)
    assert.doesNotMatch(created.stderr + created.stdout, /postgres:/)
    assert.equal(existsSync(controlStorePath(data.path)), false)
    const listed = await call(['account', 'list', '--json'])
    assert.deepEqual(
      [JSON.parse(listed.stdout).map(({ name }: { name: string }) => name), listed.stderr],
      [['Export'], ''],
    )
  })

  it('take the database from --store, too', async () => {
    const args = ['account', 'list', '--store', database.url, '--json']
    const { stdout } = await callCli(args, { env: { TRIPFOLIO_DATA: data.path } })
    assert.equal(JSON.parse(stdout).length, 1)
  })

  it('seal secrets only under a key that all nodes can have', async () => {
    const set = ['secret', 'set', 'Payment']
    const refused = await call(set, { input: 'v' })
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /need the setting secretKey.*TRIPFOLIO_SECRET_KEY/s)
    const key = Buffer.alloc(32, 9)
    const env = { TRIPFOLIO_SECRET_KEY: key.toString('hex') }
    assert.equal((await call(set, { env, input: 'v' })).code, 0)
    assert.equal(existsSync(join(data.path, 'secret.key')), false)
    const store = await openControlStore({ data: data.path, store: database.url }, { secretKey: () => key })
    assert.equal(await store.secrets.read('payment'), 'v')
    await store.close()
  })

  it('record a rollback of snapshots in the trail there', async () => {
    assert.equal((await call(['snapshot', 'rollback'])).code, 0)
    const store = await openControlStore({ data: data.path, store: database.url })
    const { items } = await store.audit.list({ action: 'snapshot.rollback', limit: 10 })
    await store.close()
    assert.equal(items.length, 1)
  })

  it('back up the snapshots, and say that the database is not in the backup', async () => {
    const folder = `${data.path}-backup`
    const args = ['backup', folder]
    assert.match((await call(args)).stdout, /Back up the database 127\.0\.0\.1:\d+\/test_\w+ with pg_dump/)
    const again = await call(['backup', `${folder}-json`, '--json'])
    assert.match(JSON.parse(again.stdout).storeOutside, /^127\.0\.0\.1:\d+\/test_/)
    for (const made of [folder, `${folder}-json`]) await rm(made, { recursive: true })
  })

  it('fail with the reason when the server is away', async () => {
    const env = { TRIPFOLIO_STORE: 'postgres://u:hush@127.0.0.1:1/trips' }
    const { code, stderr } = await call(['account', 'list'], { env })
    assert.notEqual(code, 0)
    assert.match(stderr, /127\.0\.0\.1:1\/trips cannot be reached: connect ECONNREFUSED/)
    assert.doesNotMatch(stderr, /hush/)
  })
})
