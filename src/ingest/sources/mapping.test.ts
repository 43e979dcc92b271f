/** A mapping shapes what its extract holds, and never how the refresh compares, orders and masks it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { prepareStaging, stagedTable } from '../staging.ts'
import { ingestedTables } from '../tables.ts'
import { openWorkDatabase } from '../work-database.ts'
import { runMapping } from './mapping.ts'

async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-mapping-'))
  const source = await mkdtemp(join(tmpdir(), 'tripfolio-mapped-'))
  const database = await openWorkDatabase(folder, { threads: 1, source })
  t.after(async () => {
    await database.close()
    await Promise.all([folder, source].map((each) => rm(each, { recursive: true, force: true })))
  })
  await prepareStaging(database, ingestedTables)
  const map = async (sql: string) => {
    await writeFile(join(source, 'tripfolio.sql'), sql)
    return runMapping(source, database)
  }
  return { database, map }
}

/** How the database compares, orders, trims and masks, in each way that the rules of a refresh do. */
async function comparisons(database: Awaited<ReturnType<typeof open>>['database']) {
  const alike = `(VALUES ('A1'), ('a1'), ('A1 '), (chr(65279) || 'A1'), ('Á1'), ('Ａ1'), ('A10')) AS alike(text)`
  const columns = await database.rows(
    `SELECT table_name, sql FROM duckdb_tables() WHERE schema_name = 'tripfolio'`,
  )
  const values = await database.rows(
    `SELECT (SELECT count(DISTINCT text) FROM ${alike}), (SELECT count(*) FROM ${alike} WHERE text = 'a1'),
       (SELECT list(hex(text) ORDER BY text) FROM ${alike}), (SELECT hex(min(text)) || hex(max(text)) FROM ${alike}),
       trim(' A1 '), nullif('A1', 'a1'), contains('A1', 'a'), length('A1'), lower('A1'), coalesce(NULL, 'A1'),
       stored_text('A1'), stored_client_number('A1'), masked_card('4111111111111111'), masked_text('4111111111111111')`,
  )
  return { columns, values }
}

const settings = [
  'default_collation',
  'default_null_order',
  'default_order',
  'TimeZone',
  'preserve_insertion_order',
]
const functions = ['trim', 'min', 'max', 'nullif', 'contains', 'length', 'lower', 'regexp_full_match', 'abs']
const own = [
  'stored_text',
  'stored_client_number',
  'stored_decimal',
  'within_limits',
  'masked_card',
  'masked_text',
]

const refused: readonly string[] = [
  ...settings.flatMap((name) => [
    `SET ${name} = 'NOCASE'`,
    `set/**/session ${name.toUpperCase()} to 'NOCASE'`,
    `SET GLOBAL "${name}" = 'NOCASE'`,
    `SET LOCAL ${name} = 'NOCASE'`,
    `RESET ${name}`,
    `PRAGMA ${name} = 'NOCASE'`,
  ]),
  ...[...functions, ...own].flatMap((name) => [
    `CREATE MACRO ${name}(x) AS 'A1'`,
    `CREATE OR REPLACE TEMP MACRO ${name.toUpperCase()}(x, y := 1) AS 'A1'`,
    `create function "${name}" (x) AS 'A1'`,
    `CREATE MACRO main.${name}(x) AS 'A1'`,
    `CREATE MACRO IF NOT EXISTS refresh."main".${name}(x) AS TABLE SELECT 'A1'`,
  ]),
  String.raw`CREATE MACRO U&"tri\006d"(x) AS 'A1'`,
  'CREATE OR REPLACE TABLE tripfolio.staged_clients (client_number VARCHAR COLLATE NOCASE)',
  'CREATE OR REPLACE TABLE refresh."TripFolio".staged_bookings AS SELECT 1 AS x',
  'CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS refresh . tripfolio . staged_bookings AS SELECT 1 AS x',
  String.raw`CREATE OR REPLACE TABLE U&"tripfoli\006f".staged_clients AS SELECT 1 AS x`,
  'CREATE TYPE VARCHAR AS INTEGER',
  'USE memory',
]

describe('a mapping', () => {
  it('cannot change how texts are compared, ordered and masked', async (t) => {
    const { database, map } = await open(t)
    const before = await comparisons(database)
    for (const sql of refused) {
      await assert.rejects(
        map(`CREATE MACRO tidy(x) AS x;\n${sql}`),
        { code: 'ING107', message: /line 2: / },
        sql,
      )
    }
    assert.deepEqual(await comparisons(database), before)
  })

  it('is told which name its macro cannot have', async (t) => {
    const { map } = await open(t)
    await assert.rejects(map('\nCREATE MACRO Trim(x) AS x'), {
      message: /line 2: a refresh uses the function trim itself: give the macro another name$/,
    })
  })

  it('has macros, views and tables with names of their own, and text of any collation is stored without it', async (t) => {
    const { database, map } = await open(t)
    const before = await comparisons(database)
    const made = await map(`CREATE OR REPLACE MACRO date_in(x, form) AS strptime(x, form);
      CREATE FUNCTION tidy(x) AS trim(x); CREATE MACRO day(x) AS x; CREATE TEMP TABLE "min" AS SELECT 1 AS one; CREATE VIEW main.trim AS SELECT 2 AS two;
      CREATE TABLE clients AS SELECT tidy(t) COLLATE NOCASE AS client_number FROM (VALUES ('A1'), ('a1')) AS v(t)`)
    assert.deepEqual([...made].filter((name) => name === 'clients' || name === 'trim').sort(), [
      'clients',
      'trim',
    ])
    await database.run(`INSERT INTO ${stagedTable('clients')} BY NAME SELECT client_number FROM main.clients`)
    const [[count] = []] = await database.rows(
      `SELECT count(DISTINCT client_number) FROM ${stagedTable('clients')} WHERE client_number <> 'x'`,
    )
    assert.equal(Number(count), 2)
    assert.deepEqual(await comparisons(database), before)
  })
})
