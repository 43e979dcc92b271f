/** Stores of another version: only `serve`, `ingest` and `store migrate` change an older one, and keep it as it was. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { controlStorePath, historyPath, openStores } from '../../src/directory/open-stores.ts'
import { ask, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { everyCommand, type Installed, installIn } from './every-command.ts'
import { runCommand } from './run-command.ts'
import { runTripfolio, whileServing } from './tripfolio-process.ts'

let root: string
let prepared: string
let installed: Installed
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-older-'))
  prepared = join(root, 'prepared')
  await mkdir(prepared)
  installed = await installIn({ root: prepared, data: join(prepared, 'data') })
})
after(() => rm(root, { recursive: true }))

/** The last step of each store, undone. */
const older = {
  control: ['drop table holds', "delete from kysely_migration where name = '0018-holds'"],
  history: [
    ...['questions', 'answers', 'nodes'].map((table) => `drop table live_${table}`),
    "delete from kysely_migration where name = '0003-live-runs'",
  ],
}
const newer = ["insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')"]

type Changes = { readonly control?: readonly string[]; readonly history?: readonly string[] }

async function copyWith({ control = [], history = [] }: Changes) {
  const place = join(root, crypto.randomUUID())
  await cp(prepared, place, { recursive: true })
  await mkdir(join(place, 'new'))
  const data = join(place, 'data')
  change(controlStorePath(data), control)
  change(historyPath(data), history)
  return { root: place, data }
}

function change(path: string, statements: readonly string[]): void {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}

const contentOf = (data: string): object =>
  Object.fromEntries(
    [controlStorePath(data), historyPath(data)].map((path) => [path, readFileSync(path).toString('base64')]),
  )

const copiesIn = (data: string): readonly string[] =>
  readdirSync(data).filter((name) => name.includes('.before-upgrade-from-'))

const lastStepIn = (path: string): unknown => {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare('select max(name) as step from kysely_migration').get()
  database.close()
  return row?.step
}

const KEPT = [
  'control.db.before-upgrade-from-0017-account-seals',
  'history.db.before-upgrade-from-0002-run-search',
]

/** They open no store, or copy the files as they are. */
const withoutStore = [
  'ingest --check',
  'snapshot list',
  'snapshot verify',
  'backup',
  'config print',
  'token issue',
  'restore',
  'demo',
  'script run',
  'script check',
  'script format',
  'script docs',
  'explain',
  'completion',
]
const upgrading = ['ingest', 'store migrate']

const versions = [
  { name: 'older', changes: older, code: /is of an older version .*\n {11}.*`tripfolio store migrate`/ },
  { name: 'newer', changes: { control: newer, history: newer }, code: /was changed by a newer version/ },
]

for (const { name, changes, code: refusal } of versions) {
  it(`is refused and left as it is by every other command: a store of ${name} version`, async () => {
    const place = await copyWith(changes)
    const original = contentOf(place.data)
    for (const [command, args] of Object.entries(everyCommand(place, installed.names))) {
      if (upgrading.includes(command)) continue
      const { code, stderr } = await runCommand(args, installed.env)
      const told = `${command}: ${code}\n${stderr}`
      assert.equal(code, withoutStore.includes(command) ? 0 : 5, told)
      if (code === 5) assert.match(stderr, refusal, told)
      assert.deepEqual(contentOf(place.data), original, command)
      assert.deepEqual(copiesIn(place.data), [], command)
    }
  })
}

it('is refused and left as it is: a history that alone is older', async () => {
  const place = await copyWith({ history: older.history })
  const original = contentOf(place.data)
  for (const command of ['execution list', 'execution show', 'endpoint trial', 'store copy']) {
    const { code, stderr } = await runCommand(
      everyCommand(place, installed.names)[command] ?? [],
      installed.env,
    )
    assert.equal(code, 5, `${command}: ${stderr}`)
    assert.match(stderr, /The history .* is of an older version/)
    assert.deepEqual(contentOf(place.data), original, command)
  }
})

describe('an older store', () => {
  it('is brought up to date by `store migrate`, after a copy that an older version can use', async () => {
    const { data } = await copyWith(older)
    const { code, stdout } = await runCommand(['store', 'migrate', '--data', data], installed.env)
    assert.equal(code, 0)
    for (const kept of KEPT) assert.match(stdout, new RegExp(`up to date: .* is in ${data}/${kept}\\.`))
    assert.deepEqual([...copiesIn(data)].sort(), KEPT)
    assert.equal(lastStepIn(join(data, KEPT[0] ?? '')), '0017-account-seals')
    assert.equal(lastStepIn(join(data, KEPT[1] ?? '')), '0002-run-search')
    const again = await runCommand(['store', 'migrate', '--data', data, '--json'], installed.env)
    assert.deepEqual([again.code, JSON.parse(again.stdout)], [0, []])
    assert.equal((await runCommand(['account', 'list', '--data', data], installed.env)).code, 0)
  })

  it('has one copy: the latest', async () => {
    const { data } = await copyWith(older)
    for (const step of ['0001-accounts', '0017-account-seals']) {
      change(join(data, `control.db.before-upgrade-from-${step}`), ['create table old (id)'])
    }
    await runCommand(['store', 'migrate', '--data', data], installed.env)
    assert.deepEqual([...copiesIn(data)].sort(), KEPT)
    assert.equal(lastStepIn(join(data, KEPT[0] ?? '')), '0017-account-seals')
  })

  it('is brought up to date once by programs that start together', async () => {
    const { data } = await copyWith(older)
    const ends = await Promise.all(
      [1, 2, 3].map(() => runTripfolio(['store', 'migrate', '--data', data, '--json'], installed.env)),
    )
    for (const { code, stderr } of ends) assert.equal(code, 0, stderr)
    assert.deepEqual([...copiesIn(data)].sort(), KEPT)
    assert.equal(lastStepIn(join(data, KEPT[0] ?? '')), '0017-account-seals')
    assert.equal(lastStepIn(controlStorePath(data)), '0018-holds')
  })

  it('is brought up to date by `ingest`, which says so', async () => {
    const { root: place, data } = await copyWith(older)
    const { code, stderr } = await runCommand(
      ['ingest', '--source', join(place, 'extract'), '--data', data],
      installed.env,
    )
    assert.equal(code, 0, stderr)
    assert.match(stderr, /control\.db was brought up to date/)
    assert.deepEqual(copiesIn(data), KEPT.slice(0, 1))
  })

  it('is brought up to date by `serve`, whose log says so', async () => {
    const { data } = await copyWith(older)
    await whileServing(
      data,
      async ({ output }) => {
        for (const kept of KEPT)
          assert.match(
            output(),
            new RegExp(`"copy":"${data}/${kept}","msg":"the store was brought up to date`),
          )
      },
      { env: installed.env },
    )
    assert.deepEqual([...copiesIn(data)].sort(), KEPT)
  })
})

it('is refused by commands, and brought up to date by `store migrate`: an older store in a database', async (test) => {
  const { url } = await testDatabase(test)
  const data = join(root, 'without-files')
  await mkdir(data)
  await (await openStores({ data, store: url })).close()
  for (const statement of older.history.slice(0, 3))
    await ask(url, statement.replace('live_', 'tripfolio.live_'))
  await ask(url, "delete from tripfolio.kysely_migration_history where name = '0003-live-runs'")
  const onDatabase = ['--data', data, '--store', url]
  const stepsOf = async () =>
    JSON.stringify(await ask(url, 'select name from tripfolio.kysely_migration_history'))
  const steps = await stepsOf()
  const refused = await runCommand(['execution', 'list', ...onDatabase], installed.env)
  assert.equal(refused.code, 5)
  assert.match(refused.stderr, /is of an older version/)
  assert.equal(await stepsOf(), steps)
  const { code, stdout } = await runCommand(['store', 'migrate', ...onDatabase], installed.env)
  assert.equal(code, 0)
  assert.match(stdout, /was brought up to date/)
  assert.notEqual(await stepsOf(), steps)
  assert.equal((await runCommand(['execution', 'list', ...onDatabase], installed.env)).code, 0)
})
