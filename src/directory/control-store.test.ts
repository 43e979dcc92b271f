import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { hashApiKey } from './accounts/api-key.ts'
import { hashPsk } from './accounts/psk.ts'
import { controlStorePath, openControlStore } from './open-stores.ts'
import { BY, facet, organization, person } from './testing/people-store.ts'

let root: string
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-store-'))
})
after(() => rmSync(root, { recursive: true }))

const freshFolder = () => join(root, String(++folders))

async function openedOnce(): Promise<string> {
  const path = controlStorePath(freshFolder())
  const store = await openControlStore(dirname(path))
  await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, 'operator:test')
  await store.close()
  return path
}

const change = (path: string, sql: string) => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const refused = (code: string, hint: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.equal(error.code, code)
  assert.match(error.hint ?? '', hint)
  return true
}

describe('openControlStore', () => {
  it('makes the folder and the tables on the first open and finds everything on the next', async () => {
    const path = await openedOnce()
    const again = await openControlStore(dirname(path))
    const accounts = await again.accounts.list()
    assert.deepEqual(
      accounts.map(({ name }) => name),
      ['Export'],
    )
    await again.close()
  })

  it('leaves only its one file when it is closed', async () => {
    assert.deepEqual(readdirSync(join(await openedOnce(), '..')), ['control.db'])
  })

  it('creates no key and no tenant until they are needed', async () => {
    const path = controlStorePath(freshFolder())
    const store = await openControlStore(dirname(path), {
      secretKey: () => assert.fail('The key was asked for'),
    })
    assert.deepEqual(await store.organizations.list(), [])
    assert.equal(await store.secrets.read('unknown'), null)
    await store.close()
    const database = new DatabaseSync(path)
    assert.deepEqual(database.prepare('select * from tenant').all(), [])
    database.close()
  })

  it('offers the organizations, persons, facets, secrets, notifications and the trail of one store', async () => {
    const path = controlStorePath(freshFolder())
    const store = await openControlStore(dirname(path), { secretKey: () => Buffer.alloc(32, 1) })
    const other = await openControlStore(dirname(path), { secretKey: () => Buffer.alloc(32, 1) })
    const { id } = await store.organizations.create(organization(), BY)
    const somebody = await store.persons.create(person([id]), BY)
    const tier = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    await store.facets.setInstance('Organization', id, tier.id, ['Gold'], BY)
    await store.secrets.set('Key', { value: 'v' }, BY)
    const told = { title: 'T', message: 'M', type: 'Info', link: null, audience: null } as const
    const sent = await store.notifications.send(told, BY)
    assert.equal((await other.organizations.byId(id))?.facetInstances.length, 1)
    assert.deepEqual(await other.persons.byId(somebody.id), somebody)
    assert.equal(await other.secrets.read('key'), 'v')
    assert.deepEqual(await other.notifications.list('user:a@b.example'), [sent])
    assert.deepEqual(await other.tenant(), await store.tenant())
    assert.equal((await other.audit.list({ limit: 100 })).items.length, 6)
    assert.deepEqual(await other.endpoints.current(), [])
    await store.close()
    await other.close()
  })

  it('lets only the owner read the files of the store', async () => {
    const path = controlStorePath(freshFolder())
    const store = await openControlStore(dirname(path))
    await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, 'operator:test')
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(statSync(file).mode & 0o777, 0o600, file)
    }
    await store.close()
  })

  it('removes the rights of other users from a store that was copied carelessly', async () => {
    const path = await openedOnce()
    chmodSync(path, 0o644)
    await (await openControlStore(dirname(path))).close()
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('is created once by many that open it at once, and all see one store', async () => {
    const path = controlStorePath(freshFolder())
    const stores = await Promise.all(Array.from({ length: 8 }, () => openControlStore(dirname(path))))
    await Promise.all(
      stores.map(({ accounts }, i) =>
        accounts.create({ name: `A${i}`, clientNumber: 'C1' }, 'operator:test'),
      ),
    )
    for (const { accounts } of stores) assert.equal((await accounts.list()).length, 8)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('refuses a missing store when told not to create one', async () => {
    const folder = freshFolder()
    await assert.rejects(openControlStore(folder, { create: false }), refused('DIR106', /--data/))
    assert.ok(!existsSync(folder))
  })

  it('refuses a data folder that is a file', async () => {
    const file = freshFolder()
    writeFileSync(file, '')
    await assert.rejects(openControlStore(file), refused('DIR101', /may write/))
  })

  it('refuses a folder in the place of the file', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(path, { recursive: true })
    await assert.rejects(openControlStore(dirname(path)), refused('DIR101', /may write/))
  })

  it('refuses a file that is not a database and leaves it as it is', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(join(path, '..'))
    writeFileSync(path, 'no database, only text '.repeat(100))
    await assert.rejects(openControlStore(dirname(path)), refused('DIR102', /restore a backup/))
    assert.equal(statSync(path).size, 2300)
  })

  it('refuses a store that a newer version has changed', async () => {
    const path = await openedOnce()
    change(path, "insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')")
    await assert.rejects(openControlStore(dirname(path)), refused('DIR103', /newer version/))
  })

  it('refuses a database with tables of another program, and leaves its tables as they are', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(join(path, '..'))
    change(path, 'create table audit (text)')
    await assert.rejects(openControlStore(dirname(path)), refused('DIR107', /unchanged/))
    const database = new DatabaseSync(path)
    const tables = database
      .prepare("select name from sqlite_schema where name in ('accounts', 'audit')")
      .all()
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['audit'],
    )
    database.close()
  })
})

/** The exact statements of the first step, and an account from before the later steps. */
const storeAtFirstStep = `
  CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
  CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
  CREATE TABLE "accounts" ("id" varchar(36) primary key, "name" varchar(100) not null, "client_number" varchar(20) not null, "key_hash" varchar(64) not null unique, "active" integer not null, "locked" integer not null, "expires_at" varchar(24), "last_used_at" varchar(24), "created_at" varchar(24) not null, "rotated_at" varchar(24));
  CREATE TABLE "audit" ("id" varchar(36) primary key, "at" varchar(24) not null, "actor" varchar(200) not null, "action" varchar(50) not null, "subject_id" varchar(36) not null, "before" text, "after" text);
  CREATE INDEX "audit_subject" on "audit" ("subject_id", "at");
  insert into kysely_migration values ('0001-accounts', '2026-11-20T12:00:00.000Z');
  insert into kysely_migration_lock values ('migration_lock', 0);
  insert into accounts values
    ('0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11', 'Export', 'C1', '${hashApiKey('key of Export')}', 1, 0,
     '2999-01-01T00:00:00.000Z', '2026-11-20T12:34:00.000Z', '2026-11-19T08:00:00.000Z', '2026-11-20T09:30:00.000Z'),
    ('9f1d3f60-4f4c-4b13-8a57-0f6b1f0c7e22', 'Gate', 'C2', '${hashApiKey('key of Gate')}', 0, 1,
     null, null, '2026-11-19T09:00:00.000Z', null);
  insert into audit values
    ('5c1e7e0a-3a52-4c38-b0d5-9d8d0a2f4b33', '2026-11-19T08:00:00.000Z', 'operator:kim', 'account.create',
     '0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11', null, '{"name":"Export"}')`

const UPGRADE = { upgrade: { onUpgraded: () => undefined } }

function leftByFirstStep(): string {
  const path = controlStorePath(freshFolder())
  mkdirSync(join(path, '..'))
  change(path, storeAtFirstStep)
  return path
}

describe('a store that only the first step has built', () => {
  it('is brought up to date with its accounts, keys and history, none of which has a psk', async () => {
    const store = await openControlStore(dirname(leftByFirstStep()), UPGRADE)
    assert.deepEqual(await store.accounts.list(), [
      {
        id: '0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11',
        name: 'Export',
        clientNumber: 'C1',
        active: true,
        locked: false,
        expiresAt: '2999-01-01T00:00:00.000Z',
        lastUsedAt: '2026-11-20T12:34:00.000Z',
        createdAt: '2026-11-19T08:00:00.000Z',
        rotatedAt: '2026-11-20T09:30:00.000Z',
        pskIssuedAt: null,
        notes: null,
      },
      {
        id: '9f1d3f60-4f4c-4b13-8a57-0f6b1f0c7e22',
        name: 'Gate',
        clientNumber: 'C2',
        active: false,
        locked: true,
        expiresAt: null,
        lastUsedAt: null,
        createdAt: '2026-11-19T09:00:00.000Z',
        rotatedAt: null,
        pskIssuedAt: null,
        notes: null,
      },
    ])
    assert.equal((await store.accounts.lookup(hashApiKey('key of Export')))?.accountName, 'Export')
    assert.equal((await store.accounts.lookup(hashApiKey('key of Gate')))?.locked, true)
    const history = await store.accounts.history('0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11')
    assert.deepEqual(
      history.map(({ actor, action, after }) => [actor, action, after]),
      [['operator:kim', 'account.create', { name: 'Export' }]],
    )
    await store.close()
  })

  it('then takes a psk for each account, and finds them when it is opened again', async () => {
    const path = leftByFirstStep()
    const store = await openControlStore(dirname(path), UPGRADE)
    const issued = []
    for (const { id } of await store.accounts.list()) {
      issued.push(await store.accounts.issuePsk(id, 'operator:test'))
    }
    await store.close()
    const again = await openControlStore(dirname(path))
    assert.equal(issued.length, 2)
    for (const { account, psk } of issued) {
      assert.equal((await again.accounts.lookupPsk(hashPsk(psk)))?.accountId, account.id)
    }
    await again.close()
  })

  it('has the same tables as a new store afterwards', async () => {
    const upgraded = leftByFirstStep()
    await (await openControlStore(dirname(upgraded), UPGRADE)).close()
    assert.deepEqual(tablesOf(upgraded), tablesOf(await openedOnce()))
  })

  it('is refused without that, and stays as it is', async () => {
    const path = leftByFirstStep()
    const before = tablesOf(path)
    await assert.rejects(openControlStore(dirname(path)), refused('DIR853', /store migrate/))
    assert.deepEqual(tablesOf(path), before)
  })

  it('is upgraded once when many open it at once', async () => {
    const path = leftByFirstStep()
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openControlStore(dirname(path), UPGRADE)),
    )
    for (const { accounts } of stores) assert.equal((await accounts.list()).length, 2)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('refuses one psk for two accounts', async () => {
    const path = leftByFirstStep()
    await (await openControlStore(dirname(path), UPGRADE)).close()
    assert.throws(() => change(path, "update accounts set psk_hash = 'same'"), /UNIQUE.*psk_hash/)
  })
})

function tablesOf(path: string) {
  const database = new DatabaseSync(path)
  const tables = database.prepare('select type, name, sql from sqlite_schema order by name').all()
  database.close()
  return tables
}
