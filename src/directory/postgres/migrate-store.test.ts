import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { ask, testDatabase } from '../../postgres/testing/postgres-server.ts'
import {
  controlStorePath,
  hasControlStore,
  historyPath,
  openControlStore,
  openStores,
} from '../open-stores.ts'

const refused = (code: string, message: RegExp) => (problem: unknown) => {
  assert.ok(problem instanceof Problem, String(problem))
  assert.equal(problem.code, code)
  assert.match(`${problem.message} ${problem.hint}`, message)
  return true
}

const at = (url: string) => ({ data: '/nowhere', store: url })

/** `table.column`, with `?` when it may be null. */
async function columnsOnPostgres(url: string): Promise<readonly string[]> {
  const rows = await ask<{ name: string }>(
    url,
    `select table_name || '.' || column_name || case is_nullable when 'YES' then '?' else '' end as name
    from information_schema.columns where table_schema = 'tripfolio'`,
  )
  return rows.map(({ name }) => name)
}

async function uniqueOnPostgres(url: string): Promise<readonly string[]> {
  const rows = await ask<{ name: string }>(
    url,
    `select tables.relname || '(' || (
      select string_agg(attname, ',' order by ordinality) from unnest(indkey::smallint[]) with ordinality as keys (key, ordinality)
      join pg_attribute on attrelid = indrelid and attnum = key
    ) || ')' as name
    from pg_index join pg_class as tables on tables.oid = indrelid
    where indisunique and tables.relnamespace = 'tripfolio'::regnamespace`,
  )
  return rows.map(({ name }) => name)
}

function tablesOnFile(path: string): readonly string[] {
  const database = new DatabaseSync(path)
  const rows = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    .all()
  database.close()
  return rows.map(({ name }) => String(name))
}

function columnsOnFile(path: string): readonly string[] {
  const database = new DatabaseSync(path)
  const columns = tablesOnFile(path).flatMap((table) =>
    database
      .prepare('select name, "notnull", pk from pragma_table_info(?)')
      .all(table)
      .map(({ name, notnull, pk }) => `${table}.${name}${notnull === 1 || Number(pk) > 0 ? '' : '?'}`),
  )
  database.close()
  return columns
}

function uniqueOnFile(path: string): readonly string[] {
  const database = new DatabaseSync(path)
  const unique = tablesOnFile(path).flatMap((table) => {
    const keyed = database
      .prepare(
        'select group_concat(name) as names from (select name from pragma_table_info(?) where pk > 0 order by pk)',
      )
      .get(table)?.names
    const indexes = database
      .prepare(`select (select group_concat(name) from (select name from pragma_index_info(list.name) order by seqno)) as names
        from pragma_index_list(?) as list where "unique" = 1`)
      .all(table)
      .map(({ names }) => names)
    return [...new Set([...(keyed === null ? [] : [keyed]), ...indexes])].map((names) => `${table}(${names})`)
  })
  database.close()
  return unique
}

const ofSteps = (name: string) => name.startsWith('kysely_')
const sorted = (names: readonly string[]) => names.filter((name) => !ofSteps(name)).sort()

describe('the tables on PostgreSQL', () => {
  it('are those on SQLite, with equal columns, nulls and unique indexes', async (test) => {
    const database = await testDatabase(test)
    const folder = mkdtempSync(join(tmpdir(), 'tripfolio-tables-'))
    for (const place of [folder, at(database.url)]) await (await openStores(place)).close()
    const paths = [controlStorePath(folder), historyPath(folder)]
    assert.deepEqual(
      sorted(await columnsOnPostgres(database.url)),
      // Rows of SQLite have numbers of their own, and its file a version.
      sorted([...paths.flatMap(columnsOnFile), 'audit.written', 'account_revision.revision']),
    )
    assert.deepEqual(sorted(await uniqueOnPostgres(database.url)), sorted(paths.flatMap(uniqueOnFile)))
    rmSync(folder, { recursive: true })
  })

  it('order and compare texts by their characters', async (test) => {
    const database = await testDatabase(test)
    await (await openStores(at(database.url))).close()
    const rows = await ask(
      database.url,
      `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'tripfolio' and data_type = 'text' and collation_name is distinct from 'C'`,
    )
    assert.deepEqual(rows, [])
  })

  it('are built once by many nodes that start at once, and are only read from then on', async (test) => {
    const database = await testDatabase(test)
    assert.equal(await hasControlStore(at(database.url)), false)
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStores(at(database.url))))
    const tenants = await Promise.all(stores.map(({ control }) => control.tenant()))
    assert.equal(new Set(tenants.map(({ id }) => id)).size, 1)
    for (const store of stores) await store.close()
    assert.equal(await hasControlStore(at(database.url)), true)
    const locks =
      "select count(*)::int as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"
    assert.deepEqual(await ask(database.url, locks), [{ n: 0 }])
  })

  it('are refused when there are none, and none are to be made', async (test) => {
    const { url } = await testDatabase(test)
    await assert.rejects(
      openControlStore(at(url), { create: false }),
      refused('DIR106', /127\.0\.0\.1:\d+\/test_/),
    )
    assert.equal(await hasControlStore(at(url)), false)
  })

  it('are refused and stay as they are when a newer program has changed them', async (test) => {
    const { url } = await testDatabase(test)
    await (await openStores(at(url))).close()
    await ask(url, "insert into tripfolio.kysely_migration values ('9999-future', '2999-01-01')")
    await assert.rejects(openStores(at(url)), refused('DIR103', /9999-future/))
    const places = await columnsOnPostgres(url)
    assert.ok(places.includes('accounts.id'))
  })

  it('are refused when another program has tables of these names', async (test) => {
    const { url } = await testDatabase(test)
    await ask(url, 'create schema tripfolio')
    await ask(url, 'create table tripfolio.accounts (whatever integer)')
    await assert.rejects(openStores(at(url)), refused('DIR107', /accounts.*unchanged/s))
    assert.deepEqual(
      (await columnsOnPostgres(url)).filter((name) => !ofSteps(name)),
      ['accounts.whatever?'],
    )
  })

  it('cannot be made by a user without the right to, and the message says so', async (test) => {
    const { url } = await testDatabase(test)
    const user = `user_${new URL(url).pathname.slice(1)}`
    await ask(url, `create role ${user} login`)
    const limited = new URL(url)
    limited.username = user
    await assert.rejects(
      openStores(at(limited.href)),
      refused('PGS104', /permission denied for database.*rights/s),
    )
    await ask(url, `drop role ${user}`)
  })
})
