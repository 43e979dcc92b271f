/** The commands of operators on a data folder, in the process of the test. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openControlStore } from '../../directory/open-stores.ts'
import { secretKey } from '../../directory/secrets/secret-key.ts'
import { readCurrentId } from '../../snapshot/format/layout.ts'
import { DataFolder, damage } from '../../snapshot/testing/data-folder.ts'
import { Invocation } from '../invocation.ts'
import { type Called, callCli } from '../testing/call-cli.ts'
import { secretCommands } from './secret-commands.ts'

let data: DataFolder
let ids: readonly string[]
before(async () => {
  data = await DataFolder.make()
  const first = await data.publish({ A: 'OLD' })
  ids = [first.id, (await data.publish({ A: 'NEW' })).id]
})
after(() => data.remove())

type Typed = Omit<NonNullable<Parameters<typeof callCli>[1]>, 'composition'>
const call = (args: readonly string[], { env = {}, ...typed }: Typed = {}): Promise<Called> =>
  callCli(args, { env: { TRIPFOLIO_DATA: data.path, ...env }, ...typed })

const trail = async (action: string) => {
  const store = await openControlStore(data.path)
  const { items } = await store.audit.list({ action, limit: 10 })
  await store.close()
  return items
}

describe('tripfolio account delete', () => {
  const create = async (name: string): Promise<string> => {
    const args = ['account', 'create', '--client', 'A', '--name', name, '--json']
    return JSON.parse((await call(args)).stdout).id
  }

  it('removes an account after a yes on the terminal, which tells what is removed', async () => {
    const id = await create('Leaver')
    const { code, stdout, stderr } = await call(['account', 'delete', 'Leaver'], {
      terminal: true,
      input: 'y\n',
    })
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^Remove account \S+ \(Leaver\) of client A for good\? It is active, last used: never\. \[y\/N\] /,
    )
    assert.equal(
      stdout,
      `Account ${id} (Leaver) of client A is removed. Its key and psk are refused from the next request.\n`,
    )
    const [entry] = await trail('account.delete')
    assert.equal(entry?.subjectId, id)
    assert.match(entry?.actor ?? '', /^operator:./)
  })

  const answers = ['n\n', '\n', 'maybe\n', '']
  for (const input of answers) {
    it(`leaves the account after the answer ${JSON.stringify(input)}`, async () => {
      const id = await create('Stayer')
      const { code, stdout, stderr } = await call(['account', 'delete', id], { terminal: true, input })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /Nothing was changed, because the answer was not yes/)
      assert.equal((await call(['account', 'delete', id, '--yes', '--json'])).code, 0)
    })
  }

  it('does not ask without a terminal: it needs --yes', async () => {
    const id = await create('Scripted')
    const refused = await call(['account', 'delete', id], { input: 'y\n' })
    assert.match(refused.stderr, /there is no terminal to ask/)
    assert.equal(refused.code, 2)
    const removed = JSON.parse((await call(['account', 'delete', id, '--yes', '--json'])).stdout)
    assert.deepEqual([removed.id, removed.deleted, 'apiKey' in removed], [id, true, false])
    assert.match((await call(['account', 'delete', id, '--yes'])).stderr, /No account matches/)
  })
})

describe('tripfolio secret', () => {
  const secretValue = async (name: string): Promise<string | null> => {
    const key = () => secretKey({ data: data.path, secretKey: undefined })
    const store = await openControlStore(data.path, { secretKey: key })
    const value = await store.secrets.read(name)
    await store.close()
    return value
  }

  const values: readonly (readonly [title: string, input: string, value: string])[] = [
    ['as it is', 'canary-1', 'canary-1'],
    ['without the line end of `echo`', 'canary-2\n', 'canary-2'],
    ['without the line end of Windows', 'canary-3\r\n', 'canary-3'],
    ['with all its lines', 'BEGIN\ncanary-4\nEND\n\n', 'BEGIN\ncanary-4\nEND\n'],
    ['with its blanks', ' canary-5 \n', ' canary-5 '],
  ]
  for (const [title, input, value] of values) {
    it(`takes the value from standard input ${title}, and prints it nowhere`, async () => {
      const { code, stdout, stderr } = await call(['secret', 'set', 'Payment'], { input })
      assert.deepEqual([code, stdout], [0, 'Secret Payment is active. Its value is set.\n'])
      assert.ok(!stderr.includes('canary'))
      assert.equal(await secretValue('payment'), value)
    })
  }

  it('asks for the value on a terminal without showing it', async () => {
    const { code, stdout, stderr } = await call(['secret', 'set', 'Typed'], {
      terminal: true,
      input: 'canary-6\n',
    })
    assert.equal(code, 0)
    assert.match(stderr, /^Value of Typed: /)
    assert.ok(!`${stdout}${stderr}`.includes('canary'))
    assert.equal(await secretValue('typed'), 'canary-6')
  })

  for (const args of [
    ['secret', 'set', 'Typed'],
    ['secret', 'delete', 'Typed'],
  ]) {
    it(`ends with 130 at Ctrl-C, as a shell would say: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await call(args, { terminal: true, input: 'canary\u0003' })
      assert.deepEqual([code, stdout], [130, ''])
      assert.match(stderr, /\n$/)
      assert.ok(!stderr.includes('tripfolio:'))
      assert.equal(await secretValue('typed'), 'canary-6')
    })
  }

  it('is not set in a folder that is no data folder, which would become one', async () => {
    const path = await mkdtemp(join(tmpdir(), 'tripfolio-typo-'))
    const { code, stderr } = await call(['secret', 'set', 'Payment', '--data', path], { input: 'v' })
    assert.notEqual(code, 0)
    assert.match(stderr, /Expected a data folder of Tripfolio/)
    assert.deepEqual(await readdir(path), [])
    await rm(path, { recursive: true })
  })

  it('makes no data folder for a change of a secret that cannot be there', async () => {
    const typo = join(data.path, 'typo')
    const { code, stderr } = await call([
      'secret',
      'set',
      'Typed',
      '--keep-value',
      '--disable',
      '--data',
      typo,
    ])
    assert.deepEqual([code, existsSync(typo)], [5, false])
    assert.match(stderr, /no control store at/)
  })

  it('has no option for the value, which would be in the list of processes', async () => {
    for (const args of [
      ['--value', 'x'],
      ['canary', 'extra'],
    ]) {
      const { code } = await call(['secret', 'set', 'Payment', ...args], { input: 'v' })
      assert.equal(code, 2)
    }
  })

  it('changes only the rest with --keep-value', async () => {
    await call(['secret', 'set', 'Kept', '--description', 'for tests'], { input: 'canary-7' })
    const expires = ['--keep-value', '--expires', '2999-01-01', '--disable']
    assert.equal((await call(['secret', 'set', 'Kept', ...expires])).stdout, 'Secret Kept is disabled.\n')
    assert.equal(await secretValue('Kept'), null)
    const again = ['secret', 'set', 'Kept', '--keep-value', '--expires', 'never', '--enable', '--json']
    const summary = JSON.parse((await call(again)).stdout)
    assert.deepEqual(
      [summary.description, summary.isActive, summary.expiresAt, 'value' in summary],
      ['for tests', true, null, false],
    )
    assert.equal(await secretValue('Kept'), 'canary-7')
  })

  it('lists names and states, never values', async () => {
    const { stdout } = await call(['secret', 'list'])
    assert.match(stdout, /^name +state +description +expires +updated\n/)
    assert.match(stdout, /^Kept +active +for tests /m)
    const json = (await call(['secret', 'list', '--json'])).stdout
    assert.ok(JSON.parse(json).length >= 3)
    assert.ok(!`${stdout}${json}`.includes('canary'))
  })

  it('deletes after a yes', async () => {
    assert.match((await call(['secret', 'delete', 'kept'])).stderr, /there is no terminal to ask/)
    const asked = await call(['secret', 'delete', 'kept'], { terminal: true, input: 'yes\n' })
    assert.equal(asked.stdout, 'Secret Kept is removed.\n')
    const json = await call(['secret', 'delete', 'TYPED', '--yes', '--json'])
    assert.deepEqual(JSON.parse(json.stdout), { name: 'Typed', deleted: true })
    assert.equal((await trail('secret.delete')).length, 2)
  })

  it('seals only under the key that the service has', async () => {
    const env = { TRIPFOLIO_SECRET_KEY: Buffer.alloc(32, 9).toString('hex') }
    const elsewhere = () => call(['secret', 'set', 'Elsewhere'], { input: 'canary-8', env })
    await call(['secret', 'delete', 'Payment', '--yes'])
    const { code, stderr } = await elsewhere()
    assert.equal(code, 1)
    assert.match(stderr, /Expected the key that seals the secrets of this store, found another one/)
    assert.match(stderr, /Give commands and the service the same settings \(TRIPFOLIO_SECRET_KEY/)
    const store = await openControlStore(data.path, { secretKey: () => Buffer.alloc(32, 9) })
    await store.secrets.adoptKey()
    await store.close()
    assert.equal((await elsewhere()).code, 0)
    assert.equal((await call(['secret', 'set', 'Payment'], { input: 'v' })).code, 1)
    await call(['secret', 'delete', 'Elsewhere', '--yes'])
    const again = await openControlStore(data.path, {
      secretKey: () => secretKey({ data: data.path, secretKey: undefined }),
    })
    await again.secrets.adoptKey()
    await again.close()
    await call(['secret', 'set', 'Payment'], { input: 'canary-1' })
  })

  const refused: readonly (readonly [args: readonly string[], said: RegExp, exitCode?: number])[] = [
    [['set', 'Empty'], /Expected the value of 'Empty' on standard input, found nothing/],
    [['set', 'Missing', '--keep-value'], /a new one needs a value/],
    [['set', 'Dated', '--expires', 'tomorrow'], /The secret is invalid: \/expiresAt/],
    [['delete', 'missing', '--yes'], /There is no secret 'missing'/, 1],
  ]
  for (const [args, said, exitCode = 2] of refused) {
    it(`refuses '${args.join(' ')}'`, async () => {
      const input = args.includes('--expires') ? 'v' : ''
      const { code, stdout, stderr } = await call(['secret', ...args], { input })
      assert.deepEqual([code, stdout], [exitCode, ''])
      assert.match(stderr, said)
    })
  }
})

describe('tripfolio snapshot rollback', () => {
  it('makes the older snapshot current, and records who did it', async () => {
    const [older, newer] = ids
    const { code, stdout } = await call(['snapshot', 'rollback'])
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^Snapshot ${older} is current now, instead of ${newer}\\.`))
    assert.equal(await readCurrentId(data.path), older)
    const [entry] = await trail('snapshot.rollback')
    assert.deepEqual(entry?.after, { snapshot: older, before: newer })
    assert.match(entry?.actor ?? '', /^operator:./)
  })

  it('goes forward again by id, and leaves no trail where nothing changes', async () => {
    const [older, newer] = ids
    const json = await call(['snapshot', 'rollback', newer as string, '--json'])
    const { held, ...rest } = JSON.parse(json.stdout)
    assert.deepEqual(rest, { snapshot: newer, before: older, damaged: [] })
    assert.equal(held.reason, `rolled back to snapshot ${older}`)
    const again = await call(['snapshot', 'rollback', newer as string])
    assert.match(again.stdout, /is the current one already; nothing was changed/)
    assert.equal((await trail('snapshot.rollback')).length, 2)
  })

  it('ends with 1 for a snapshot that is not there', async () => {
    assert.equal((await call(['snapshot', 'rollback', 'nope'])).code, 1)
  })

  it('tells which damaged snapshots it passed over', async () => {
    const { id: third } = await data.publish({ A: 'THIRD' })
    await damage(await data.bookingsFile(ids[1] as string, 'A'))
    const { stdout, stderr } = await call(['snapshot', 'rollback'])
    assert.equal(stderr, `tripfolio: snapshot ${ids[1]} is damaged and was passed over\n`)
    assert.match(stdout, new RegExp(`^Snapshot ${ids[0]} is current now, instead of ${third}`))
  })

  it('works without a control store, and refuses a folder that does not exist', async () => {
    const other = await DataFolder.make()
    await other.publish({ A: 'ONE' })
    await other.publish({ A: 'TWO' })
    const env = { TRIPFOLIO_DATA: other.path }
    assert.equal((await call(['snapshot', 'rollback'], { env })).code, 0)
    assert.match((await call(['snapshot', 'rollback'], { env })).stderr, /No snapshot older than/)
    await other.remove()
    assert.match((await call(['snapshot', 'rollback'], { env })).stderr, /There is no data folder/)
  })
})

describe('tripfolio backup and restore', () => {
  it('print what they have copied, as text or as JSON', async () => {
    const folder = `${data.path}-backups`
    await mkdir(folder)
    const first = await call(['backup', join(folder, 'first')])
    assert.match(
      first.stdout,
      /^Backed up \S+ to \S+first: \d+ files, \d+\.\d MB \(control\.db, secret\.key, snapshot \S+\)\.\n$/,
    )
    const args = ['backup', join(folder, 'second'), '--snapshots', 'none', '--no-history', '--json']
    const env = { TRIPFOLIO_SECRET_KEY: Buffer.alloc(32, 9).toString('hex') }
    const second = JSON.parse((await call(args, { env })).stdout)
    // The control store, the key of tokens, and the note that snapshots were left out.
    assert.deepEqual([second.snapshot, second.files, second.keysOutside], [null, 3, ['secretKey']])
    const list = JSON.parse(await readFile(join(folder, 'second', 'backup.json'), 'utf8'))
    assert.equal(second.madeAt, list.madeAt)

    const restored = await call(['restore', join(folder, 'first'), '--data', join(folder, 'data')])
    assert.match(restored.stdout, /^Restored \S+first, made 2\S+Z, into \S+data: \d+ files/)
    const bare = await call(['restore', join(folder, 'second'), '--data', join(folder, 'bare')])
    assert.match(bare.stdout, /It has no snapshot: run `tripfolio ingest/)
    const again = await call(['restore', join(folder, 'first'), '--data', join(folder, 'data')])
    assert.deepEqual([again.code, again.stdout], [2, ''])
    assert.match(again.stderr, /Expected an empty or new data folder, found .*control\.db/)
    await rm(folder, { recursive: true })
  })
})

describe('a backup that is stopped', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`by ${signal} leaves nothing behind, and can be repeated (4)`, async () => {
      const folder = `${data.path}-stopped`
      await mkdir(folder)
      const before = process.listeners(signal)
      const backup = call(['backup', join(folder, 'nightly'), '--json'])
      while (process.listenerCount(signal) === before.length) await nextTurn()
      // Only the command may hear of it: the test runner listens too.
      for (const listener of process.listeners(signal)) if (!before.includes(listener)) listener(signal)
      const { code, stdout, stderr } = await backup
      assert.deepEqual([code, stdout], [4, ''])
      assert.equal(JSON.parse(stderr).error.code, 'DIR464')
      assert.deepEqual(await readdir(folder), [])
      assert.deepEqual(process.listeners(signal), before)
      await rm(folder, { recursive: true })
    })
  }
})

describe('a command that is not confirmed or has no input', () => {
  const refused: readonly (readonly [code: string, args: readonly string[]])[] = [
    ['DIR451', ['delete', 'payment']],
    ['DIR457', ['set', 'Payment']],
    ['DIR458', ['delete', 'nothing', '--yes']],
  ]
  for (const [code, args] of refused) {
    it(`ends with ${code}`, async () => {
      const stdin = Readable.from([])
      const cli = new Invocation({ stdin, stdout: process.stdout, stderr: process.stderr, env: {} })
      const command = secretCommands(cli).parseAsync([...args, '--data', data.path], { from: 'user' })
      await assert.rejects(command, { code })
    })
  }
})
