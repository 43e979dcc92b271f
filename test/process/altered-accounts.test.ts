/** What callers, operators and commands see of an account whose row was altered past the service, on both databases. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { callCli } from '../../src/cli/testing/call-cli.ts'
import { controlStorePath } from '../../src/directory/open-stores.ts'
import { ask, type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'

const [KEY, OTHER_KEY] = [Buffer.alloc(32, 1).toString('hex'), Buffer.alloc(32, 2).toString('hex')]

type Environment = Readonly<Record<string, string>>
type Issued = { readonly id: string; readonly apiKey: string }

for (const kind of ['files', 'PostgreSQL'] as const) {
  describe(`an account that was altered in its store (${kind})`, () => {
    let data: string
    let database: TestDatabase | undefined
    let env: Environment
    let ours: Issued
    let theirs: Issued

    const call = (...args: string[]) => callCli(args, { env: { TRIPFOLIO_DATA: data, ...env } })
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await call(...args, '--json')
      return { code, stderr, found: JSON.parse(stdout === '' ? 'null' : stdout) }
    }
    const alter = async (set: string, id: string) => {
      const sql = `update accounts set ${set} where id = '${id}'`
      if (database !== undefined) {
        await ask(`${database.url}?options=-c%20search_path%3Dtripfolio`, sql)
        return
      }
      const file = new DatabaseSync(controlStorePath(data))
      file.exec(sql)
      file.close()
    }
    const bookings = async ({ address }: ServingHere, apiKey: string) => {
      const answer = await fetch(`${address}/api/v2/bookings`, { headers: { 'x-api-key': apiKey } })
      return { status: answer.status, body: await answer.text() }
    }
    const readyz = async ({ address }: ServingHere) => {
      const answer = await fetch(`${address}/readyz`)
      return { status: answer.status, body: await answer.text() }
    }
    const serve = <T>(work: (serving: ServingHere) => Promise<T>, more: Environment = {}) =>
      whileServingHere(data, work, { threads: 2, env: { ...env, ...more } })
    const linesOf = (log: string, message: RegExp) => log.split('\n').filter((line) => message.test(line))

    before(async () => {
      data = join(await mkdtemp(join(tmpdir(), 'tripfolio-altered-')), 'data')
      await publishExtract({ data }, fixtureExtract)
      database = kind === 'files' ? undefined : await testDatabase()
      env = { TRIPFOLIO_SECRET_KEY: KEY, ...(database && { TRIPFOLIO_STORE: database.url }) }
      const create = async (client: string): Promise<Issued> =>
        (await json('account', 'create', '--client', client, '--name', client)).found
      ours = await create(harbour)
      theirs = await create(limmat)
    })
    after(async () => {
      await database?.drop()
      await rm(join(data, '..'), { recursive: true })
    })

    it('is refused like an unknown key from the next request on, and said once in the log', async () => {
      await serve(async (serving) => {
        const { status } = await bookings(serving, ours.apiKey)
        assert.equal(status, 200)
        assert.equal('accounts' in JSON.parse((await readyz(serving)).body), false)
        await alter(`client_number = '${limmat}'`, ours.id)
        const unknown = await bookings(serving, 'A'.repeat(64))
        assert.equal(unknown.status, 401)
        for (let i = 0; i < 5; i++) assert.deepEqual(await bookings(serving, ours.apiKey), unknown)
        assert.equal((await bookings(serving, theirs.apiKey)).status, 200)
        await serving.until(/does not match its checksum/)
        const lines = linesOf(serving.output(), /does not match its checksum/)
        assert.equal(lines.length, 1)
        assert.match(lines[0] ?? '', new RegExp(ours.id))
        const { status: ready, body } = await readyz(serving)
        assert.equal(ready, 200)
        assert.match(JSON.parse(body).accounts, /the keys of 1 account are refused.*store verify/)
        assert.doesNotMatch(body, new RegExp(ours.id))
      })
    })

    it('is listed by `store verify` with the client that it was made for, with exit code 1', async () => {
      const { code, found } = await json('store', 'verify')
      assert.equal(code, 1)
      assert.deepEqual([found.accounts, found.key], [2, 'own'])
      assert.deepEqual(
        found.refused.map((one: Record<string, unknown>) => [
          one.id,
          one.fault,
          one.clientNumber,
          one.madeForClient,
        ]),
        [[ours.id, 'altered', limmat, harbour]],
      )
      const { stdout, stderr, code: again } = await call('store', 'verify')
      assert.equal(again, 1)
      assert.match(stdout, new RegExp(`${ours.id}.*${limmat}.*${harbour}.*altered`))
      assert.match(stderr, /1 of 2 accounts does not match.*account seal ID/)
    })

    it('is not sealed as that of another client, nor by a rotation', async () => {
      for (const args of [
        ['account', 'seal', ours.id, '--yes'],
        ['account', 'seal', '--all', '--yes'],
        ['account', 'rotate', ours.id],
      ]) {
        const { code, stderr } = await call(...args)
        assert.equal(code, 1, stderr)
        assert.match(stderr, /made for client|does not match its checksum/)
      }
      assert.equal((await json('store', 'verify')).code, 1)
    })

    it('is found by a service that starts before anybody uses it, and accepted by `account seal`', async () => {
      await serve(async (serving) => {
        assert.equal(linesOf(serving.output(), /does not match its checksum/).length, 1)
        assert.match(JSON.parse((await readyz(serving)).body).accounts, /1 account/)
        await alter(`client_number = '${harbour}', locked = 1`, ours.id)
        const unnamed = await json('account', 'seal')
        assert.deepEqual([unnamed.code, JSON.parse(unnamed.stderr).error.code], [2, 'DIR469'])
        const unconfirmed = await call('account', 'seal', ours.id)
        assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [2, ''])
        assert.match(unconfirmed.stderr, /of client .*: locked/)
        assert.equal((await json('account', 'seal', ours.id, '--yes')).found.sealed.length, 1)
        assert.equal((await bookings(serving, ours.apiKey)).status, 401)
        assert.equal((await call('account', 'unlock', ours.id)).code, 0)
        assert.equal((await bookings(serving, ours.apiKey)).status, 200)
      })
      const { code, stdout } = await call('store', 'verify')
      assert.deepEqual(
        [code, stdout],
        [0, 'All 2 accounts match their checksums, made with the secret key.\n'],
      )
    })

    it('is refused with all others where the secret key is another one, until all are sealed with it', async () => {
      const other = { TRIPFOLIO_SECRET_KEY: OTHER_KEY }
      await serve(async (serving) => {
        assert.equal((await bookings(serving, ours.apiKey)).status, 401)
        assert.equal((await bookings(serving, theirs.apiKey)).status, 401)
        const { status, body } = await readyz(serving)
        assert.equal(status, 503)
        assert.match(body, /another secret key/)
        assert.equal(linesOf(serving.output(), /accounts are sealed with another secret key/).length, 1)
      }, other)
      const callWith = (...args: string[]) =>
        callCli(args, { env: { TRIPFOLIO_DATA: data, ...env, ...other } })
      assert.match(
        (await callWith('account', 'lock', ours.id)).stderr,
        /Expected the secret key with which the accounts/,
      )
      assert.match((await callWith('store', 'verify')).stderr, /another secret key.*account seal --all/)
      assert.equal((await callWith('account', 'seal', '--all', '--yes')).code, 0)
      assert.equal((await callWith('store', 'verify')).code, 0)
      assert.equal((await call('store', 'verify')).code, 1)
    })
  })
}
