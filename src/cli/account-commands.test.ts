import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../../test/fixtures/fixture-extract.ts'
import { publishExtract } from '../../test/fixtures/published-extract.ts'
import { hashApiKey } from '../directory/accounts/api-key.ts'
import { hashPsk } from '../directory/accounts/psk.ts'
import { controlStorePath, openControlStore } from '../directory/open-stores.ts'
import { accountCommands } from './account-commands.ts'
import { processIo } from './cli-io.ts'
import { Invocation } from './invocation.ts'
import { type Called, callCli, startCli } from './testing/call-cli.ts'

let data: string
before(() => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-cli-'))
})
after(() => rmSync(data, { recursive: true }))

const account = (...args: string[]): Promise<Called> =>
  callCli(['account', ...args], { env: { TRIPFOLIO_DATA: data } })

async function opens(key: string): Promise<boolean> {
  const store = await openControlStore(data)
  const holder = await store.accounts.lookup(hashApiKey(key))
  await store.close()
  return holder?.active === true && !holder.locked
}

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.source
const pskIn = (stdout: string): string => new RegExp(`  psk: (${GUID})\n`).exec(stdout)?.[1] ?? ''

const keyIn = (stdout: string): string => /API key: (\S{64})\n/.exec(stdout)?.[1] ?? ''

describe('tripfolio account', () => {
  it('creates an account in the data folder of the environment and prints its key once', async () => {
    const created = await account('create', '--client', 'C1', '--name', 'Nightly export')
    assert.equal(created.code, 0)
    assert.match(created.stdout, /^Account [0-9a-f-]{36} \(Nightly export\) of client C1\n/)
    assert.match(created.stdout, /cannot be shown again/)
    assert.ok(await opens(keyIn(created.stdout)))
    const listed = await account('list', '--json')
    assert.ok(!listed.stdout.includes(keyIn(created.stdout)))
  })

  it('prints the new account as JSON', async () => {
    const args = ['create', '--client', 'C2', '--name', 'ERP', '--expires', '2999-01-01', '--json']
    const created = JSON.parse((await account(...args)).stdout)
    assert.equal(created.clientNumber, 'C2')
    assert.equal(created.expiresAt, '2999-01-01T00:00:00.000Z')
    assert.ok(await opens(created.apiKey))
  })

  it('lists accounts as a table or as JSON', async () => {
    const table = (await account('list')).stdout.split('\n')
    assert.match(
      table[0] ?? '',
      /^id +name +client +state +created +rotated +psk issued +last used +expires$/,
    )
    assert.match(table[2] ?? '', /ERP +C2 +active .* 2999-01-01 00:00Z$/)
    const json = JSON.parse((await account('list', '--json')).stdout)
    assert.deepEqual(
      json.map(({ name }: { name: string }) => name),
      ['Nightly export', 'ERP'],
    )
  })

  it('switches an account off and on, and prints its new state', async () => {
    const { apiKey, id } = JSON.parse(
      (await account('create', '--client', 'C3', '--name', 'Gate', '--json')).stdout,
    )
    const steps = [
      ['disable', 'disabled', false],
      ['lock', 'disabled, locked', false],
      ['enable', 'locked', false],
      ['unlock', 'active', true],
    ] as const
    for (const [verb, state, open] of steps) {
      const { stdout } = await account(verb, 'Gate')
      assert.equal(stdout, `Account ${id} (Gate) of client C3 is ${state}.\n`)
      assert.equal(await opens(apiKey), open)
    }
  })

  it('rotates the key of the account whose id begins with the argument, and warns when the account is locked', async () => {
    const { apiKey, id } = JSON.parse(
      (await account('create', '--client', 'C4', '--name', 'Key', '--json')).stdout,
    )
    const { stdout } = await account('rotate', id.slice(0, 8))
    assert.doesNotMatch(stdout, /for now/)
    assert.deepEqual([await opens(apiKey), await opens(keyIn(stdout))], [false, true])
    assert.equal(JSON.parse((await account('lock', id, '--json')).stdout).locked, true)
    assert.match(
      (await account('rotate', id)).stdout,
      /The account is locked, so the key does not work for now/,
    )
  })

  it('issues a psk, prints it once, and shows in the list when it was issued', async () => {
    const { id } = JSON.parse((await account('create', '--client', 'C5', '--name', 'Older', '--json')).stdout)
    const { code, stdout } = await account('psk', 'Older')
    assert.equal(code, 0)
    assert.equal(
      stdout,
      `Account ${id} (Older) of client C5\n\n  psk: ${pskIn(stdout)}\n\nThe psk cannot be shown again: store it now.\n`,
    )
    assert.match(pskIn(stdout), new RegExp(`^${GUID}$`))
    const byHand = new DatabaseSync(controlStorePath(data))
    byHand.exec("update accounts set psk_issued_at = '2031-05-06T07:08:09.000Z' where psk_hash is not null")
    byHand.close()
    const table = (await account('list')).stdout
    assert.match(table, /Older +C5 +active +\S+ \S+Z +- +2031-05-06 07:08Z +- +-$/m)
    assert.ok(!table.includes(pskIn(stdout)))
  })

  it('replaces and removes a psk, which another process sees in its next lookup', async () => {
    await account('create', '--client', 'C6', '--name', 'Watched')
    const { accounts, close } = await openControlStore(data)
    const opened = async (psk: string) => (await accounts.lookupPsk(hashPsk(psk))) !== undefined
    const first = JSON.parse((await account('psk', 'Watched', '--json')).stdout)
    assert.equal(await opened(first.psk), true)
    const second = JSON.parse((await account('psk', 'Watched', '--json')).stdout)
    assert.deepEqual([await opened(first.psk), await opened(second.psk)], [false, true])
    const env = { TRIPFOLIO_DATA: data }
    const { code, stdout } = await startCli(['account', 'psk', 'Watched', '--disable'], { env })
    assert.deepEqual([code, stdout], [0, `Account ${first.id} (Watched) of client C6 has no psk.\n`])
    assert.equal(await opened(second.psk), false)
    const again = JSON.parse((await account('psk', 'Watched', '--disable', '--json')).stdout)
    assert.deepEqual([again.pskIssuedAt, 'psk' in again], [null, false])
    const actions = (await accounts.history(first.id)).map(({ actor, action }) => {
      assert.match(actor, /^operator:./)
      return action
    })
    assert.deepEqual(actions.slice(1), ['account.psk-issue', 'account.psk-rotate', 'account.psk-disable'])
    await close()
  })

  it('prints the account and its psk as JSON, without the API key', async () => {
    await account('create', '--client', 'C7', '--name', 'Program')
    const { psk, ...rest } = JSON.parse((await account('psk', 'Program', '--json')).stdout)
    assert.match(psk, new RegExp(`^${GUID}$`))
    assert.deepEqual(
      [rest],
      JSON.parse((await account('list', '--json')).stdout).filter(
        ({ name }: { name: string }) => name === 'Program',
      ),
    )
  })

  it('warns when the account of a psk is disabled or locked', async () => {
    await account('create', '--client', 'C8', '--name', 'Shut')
    await account('lock', 'Shut')
    await account('disable', 'Shut')
    assert.match(
      (await account('psk', 'Shut')).stdout,
      /\nThe account is disabled, locked, so the psk does not work for now\.\n/,
    )
  })

  it('warns when another account has the name, and creates it', async () => {
    const first = JSON.parse(
      (await account('create', '--client', 'C9', '--name', 'Namesake', '--json')).stdout,
    )
    const { code, stdout, stderr } = await account('create', '--client', 'C9', '--name', 'Namesake', '--json')
    assert.equal(code, 0)
    assert.ok(await opens(JSON.parse(stdout).apiKey))
    const { warning } = JSON.parse(stderr)
    assert.deepEqual([warning.code, warning.kind], ['DIR461', 'conflict'])
    assert.ok(warning.message.includes(first.id))
  })

  it('warns when the client is not in the current snapshot, with the nearest number', async () => {
    const published = join(data, 'published')
    await publishExtract({ data: published }, fixtureExtract)
    const create = (client: string) =>
      account('create', '--client', client, '--name', client, '--data', published)
    const mistyped = `${harbour}1`
    const { code, stderr } = await create(mistyped)
    assert.equal(code, 0)
    assert.match(stderr, new RegExp(`^tripfolio: warning: .* has no client '${mistyped}'\n.*'${harbour}'`))
    assert.equal((await create(harbour)).stderr, '')
    assert.equal((await account('create', '--client', 'C1', '--name', 'Before any refresh')).stderr, '')
    const warned = JSON.parse(
      (await account('create', '--client', 'X', '--name', 'X', '--data', published, '--json')).stderr,
    )
    assert.equal(warned.warning.code, 'DIR460')
  })

  it('takes --data before the environment', async () => {
    const other = join(data, 'other')
    await account('create', '--client', 'C1', '--name', 'Elsewhere', '--data', other)
    assert.ok(existsSync(controlStorePath(other)))
  })

  const refused: readonly [args: readonly string[], code: string, exitCode: number][] = [
    [['rotate', 'nobody'], 'DIR201', 1],
    [['disable', ''], 'DIR201', 1],
    [['psk', 'nobody'], 'DIR201', 1],
    [['psk', 'nobody', '--disable'], 'DIR201', 1],
    [['create', '--client', 'C1', '--name', ''], 'DIR203', 2],
    [['create', '--client', 'C1', '--name', 'Late', '--expires', '2001-01-01'], 'DIR204', 2],
    [['list', '--data', '/nowhere/at/all'], 'DIR106', 5],
  ]
  for (const [args, code, exitCode] of refused) {
    it(`refuses '${args.join(' ')}' as ${code}`, async () => {
      const cli = new Invocation({ ...processIo, env: { TRIPFOLIO_DATA: data } })
      await assert.rejects(accountCommands(cli).parseAsync(args, { from: 'user' }), { code })
      const { code: found, stdout, stderr } = await account(...args)
      assert.deepEqual([found, stdout], [exitCode, ''])
      assert.match(stderr, /^tripfolio: /)
    })
  }

  it('explains wrong usage and does nothing', async () => {
    const outcome = await account('create', '--name', 'No client')
    assert.equal(outcome.code, 2)
    assert.match(outcome.stderr, /Required option '--client <number>' not specified/)
  })
})
