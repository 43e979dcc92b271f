/**
 * Backup and restore of an installation in PostgreSQL, accounts and records, as docs/how-to/operations.md describes it: the
 * restored service takes the same keys, opens the same secrets, gives the same answers, and is refreshed as before.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { ask, type RunningServer, startServer } from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

const SECRET_KEY = Buffer.alloc(32, 7)

type Lifetime = Parameters<typeof makeFolders>[0]

/** A command on an installation whose stores and records are in a database, with a data folder that is not in the backup. */
async function commandOn(url: string, t: Lifetime) {
  const { source, data } = await makeFolders(t)
  await writeExtract(source, fixtureExtract, 'csv')
  const env = {
    TRIPFOLIO_STORE: url,
    TRIPFOLIO_ENGINE: 'postgres',
    TRIPFOLIO_SECRET_KEY: SECRET_KEY.toString('hex'),
  }
  const ingest = async (): Promise<{ unchanged: number; total: number }> => {
    const { code, stdout, stderr } = await runCommand(
      ['ingest', '--source', source, '--data', data, '--json'],
      env,
    )
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).clients
  }
  const openStore = () => openControlStore({ data, store: url }, { secretKey: () => SECRET_KEY })
  return { data, env, ingest, openStore }
}

type Saved = { readonly key: string; readonly records: string }

const recordsOf = async (address: string, key: string): Promise<string> => {
  const answer = await fetch(`${address}/api/v2/bookings`, { headers: { 'x-api-key': key } })
  const body = await answer.text()
  assert.equal(answer.status, 200, body)
  return body
}

/** An installation with an account, a secret and records. */
async function fill(url: string, t: Lifetime): Promise<Saved> {
  const { data, env, ingest, openStore } = await commandOn(url, t)
  await ingest()
  const store = await openStore()
  const { apiKey: key } = await store.accounts.create({ clientNumber: harbour, name: 'Export' }, 'test')
  await store.secrets.set('Payment', { value: 'canary' }, 'test')
  await store.close()
  let records = ''
  await whileServingHere(
    data,
    async ({ address }) => {
      records = await recordsOf(address, key)
    },
    { env },
  )
  assert.ok(JSON.parse(records).count > 0)
  return { key, records }
}

async function assertRestored(url: string, { key, records }: Saved, t: Lifetime): Promise<void> {
  const { data, env, ingest, openStore } = await commandOn(url, t)
  await whileServingHere(
    data,
    async ({ address }) => {
      assert.equal(await recordsOf(address, key), records)
      const { unchanged, total } = await ingest()
      assert.deepEqual([unchanged, total], [fixtureExtract.clients.length, fixtureExtract.clients.length])
    },
    { env },
  )
  const store = await openStore()
  assert.equal(await store.secrets.read('Payment'), 'canary')
  await store.close()
}

/** A folder with pg_dump, and with the server of its version: another pg_dump may be older than the server, and refuse. */
const programs = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
    : []),
].find((folder) =>
  ['pg_dump', 'pg_restore', 'createdb', 'postgres', 'initdb'].every((name) => existsSync(join(folder, name))),
)
const skip = programs === undefined && 'This machine has no pg_dump with the server of its version'

/** The commands of the guide that say `what`. */
const commandsOf = (...what: readonly string[]): readonly string[] =>
  readFileSync(join(import.meta.dirname, '../../docs/how-to/operations.md'), 'utf8')
    .split('\n')
    .filter((line) => what.some((name) => line.startsWith(`    ${name} `)))

describe('an installation in PostgreSQL', () => {
  let server: RunningServer
  let saved: Saved
  const removals: (() => Promise<void>)[] = []
  before(async () => {
    server = await startServer({ programs })
    saved = await fill(server.url, { after: (work) => removals.push(work) })
  })
  after(async () => {
    await server.stop()
    for (const remove of removals) await remove()
  })

  for (const [what, options] of [
    ['all of it', []],
    ['without the records', ['--exclude-schema=tripfolio_records']],
  ] as const) {
    it(`is restored from a dump of its database: ${what}`, { skip }, async (t) => {
      t.after(() => ask(server.url, 'drop database if exists restored with (force)'))
      const { host, port, username } = new URL(server.url)
      const { data: cwd } = await makeFolders(t)
      await mkdir(cwd)
      const lines = commandsOf('pg_dump', 'createdb', 'pg_restore')
      assert.equal(lines.length, 3)
      for (const line of lines) {
        const [name = '', ...args] = line
          .trim()
          .replace('"$STORE_URL"', [server.url, ...options].join(' '))
          .replace('//db.example.com', `//${host}`)
          .replace('db.example.com', '127.0.0.1')
          .split(' ')
        const env = { PGPORT: port, PGUSER: username }
        await promisify(execFile)(join(programs as string, name), args, { cwd, env })
      }
      const restored = new URL(server.url)
      restored.pathname = '/restored'
      if (options.length > 0) {
        const { ingest } = await commandOn(restored.href, t)
        assert.equal((await ingest()).unchanged, 0)
      }
      await assertRestored(restored.href, saved, t)
    })
  }

  // The last one: the server does not come back.
  it('is restored from the data folder of its server that was stopped', async (t) => {
    await server.kill()
    const restored = await startServer({ programs, copyOf: server.data })
    t.after(restored.stop)
    await assertRestored(restored.url, saved, t)
  })
})
