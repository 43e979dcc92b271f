/** `tripfolio store copy` of a large history: in little memory, killed in the middle, run again, and served. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStores } from '../../src/directory/open-stores.ts'
import { execution } from '../../src/directory/testing/executions.ts'
import { fillStores, SECRET_KEY } from '../../src/directory/testing/filled-stores.ts'
import {
  ask,
  type TestDatabase,
  testDatabase,
  untilRows,
} from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'
import { runTripfolio } from './tripfolio-process.ts'

const binary = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))

/** They do not fit into the memory of the command: its texts have two bytes for each of these letters, 60 MB in all. */
const RUNS = 7500
const BODY = '→'.repeat(4000)
const LITTLE_MEMORY = { NODE_OPTIONS: '--max-old-space-size=48' }

const rowsIn = async (url: string, table: string): Promise<number> => {
  const [row] = await ask<{ rows: string }>(url, `select count(*) as rows from tripfolio.${table}`)
  return Number(row?.rows)
}

/** Waits until the command writes this table. */
async function untilItWrites(url: string, table: string): Promise<void> {
  const writing = 'select pid from pg_stat_activity where datname = current_database() and query like $1'
  await untilRows(url, writing, { values: [`copy "${table}"%`] })
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

describe('tripfolio store copy', () => {
  let data: string
  let database: TestDatabase
  let apiKey: string
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'tripfolio-store-copy-'))
    await publishExtract({ data }, fixtureExtract)
    ;({ apiKey } = await fillStores(data))
    const { history, close } = await openStores(data)
    for (let run = 0; run < RUNS; run += 500) {
      const large = () => execution({ response: { status: 200, headers: {}, body: BODY, truncated: false } })
      await history.record(Array.from({ length: 500 }, large))
    }
    await close()
    database = await testDatabase()
  })
  after(async () => {
    await database.drop()
    await rm(data, { recursive: true })
  })

  it('leaves nothing when it is killed in the middle, and copies everything when it is run again', async () => {
    const { url } = database
    const args = ['store', 'copy', '--from', data, '--to', url]
    const killed = spawn(binary, args, { stdio: 'ignore' })
    await untilItWrites(url, 'execution_details')
    killed.kill('SIGKILL')
    await ended(killed)
    for (const table of ['accounts', 'audit', 'executions', 'execution_details'])
      assert.equal(await rowsIn(url, table), 0, table)

    const { code, stderr, stdout } = await runTripfolio([...args, '--json'], LITTLE_MEMORY)
    assert.deepEqual([code, stderr], [0, ''])
    const { copied, tables } = JSON.parse(stdout)
    assert.equal(copied, true)
    for (const { table, rows } of tables) assert.equal(await rowsIn(url, table), rows, table)
    const again = await runTripfolio([...args, '--json'], LITTLE_MEMORY)
    assert.deepEqual(JSON.parse(again.stdout), { ...JSON.parse(stdout), copied: false })
  })

  it('makes a store whose keys and secrets a service takes as before', async () => {
    const env = {
      TRIPFOLIO_STORE: database.url,
      TRIPFOLIO_SECRET_KEY: SECRET_KEY.toString('hex'),
    }
    await whileServingHere(
      data,
      async ({ address }) => {
        const answer = await fetch(`${address}/api/v2/bookings`, { headers: { 'x-api-key': apiKey } })
        assert.equal(answer.status, 200)
        const refused = await fetch(`${address}/api/v2/bookings`, { headers: { 'x-api-key': `${apiKey}0` } })
        assert.equal(refused.status, 401)
      },
      { env },
    )
    // The service has written when the key was used last.
    const { code, stderr } = await runCommand(['store', 'copy', '--from', data, '--to', database.url])
    assert.equal(code, 2)
    assert.match(stderr, /other content: accounts/)
  })
})
