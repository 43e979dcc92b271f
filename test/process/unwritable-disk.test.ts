/**
 * A service that finds its disk full or read-only when it starts: it answers from what is there, says once what it does not
 * write, and writes again as soon as it can. A limit of file sizes stands for the full disk, because every user may set
 * one; the rights of a folder stand for the read-only one, for root without the capability to pass over them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, type TestContext } from 'node:test'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import { secretKey } from '../../src/directory/secrets/secret-key.ts'
import { listSnapshotIds, readCurrentId } from '../../src/snapshot/format/layout.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { runInTurn, runTripfolio, type Serving, SMALL_SERVICE, whileServing } from './tripfolio-process.ts'

let root: string
/** A data folder with a snapshot and two accounts; each test works on a copy. */
let prepared: string
let source: string
let key: string
let otherKey: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-unwritable-'))
  prepared = join(root, 'prepared')
  source = join(root, 'extract')
  await publishExtract({ source, data: prepared }, fixtureExtract)
  key = await createAccount(prepared, harbour, 'one')
  otherKey = await createAccount(prepared, harbour, 'other')
  // With it, each start looks in a transaction whether the key is still the same.
  const store = await openControlStore(prepared, {
    secretKey: () => secretKey(loadConfig({ env: {}, flags: { data: prepared } })),
  })
  await store.secrets.adoptKey()
  await store.close()
  // The first start makes it.
  await (await openHistory(prepared)).close()
})
after(() => rm(root, { recursive: true, force: true }))

async function copyOf(t: TestContext): Promise<string> {
  const data = join(root, `data-${crypto.randomUUID()}`)
  await cp(prepared, data, { recursive: true })
  t.after(() => {
    allowWriting(data)
    return rm(data, { recursive: true, force: true })
  })
  return data
}

function forbidWriting(folder: string): void {
  for (const path of everythingIn(folder)) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o400)
}

function allowWriting(folder: string): void {
  for (const path of everythingIn(folder)) chmodSync(path, statSync(path).isDirectory() ? 0o750 : 0o600)
}

const everythingIn = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
]

type Disk = {
  readonly name: string
  readonly code: string
  /** Of the service that restarts on it. */
  readonly threads: number
  /** What the program runs under. */
  readonly wrapper: readonly string[]
  readonly close: (data: string) => void
  readonly open: (data: string, pid: number) => void
}

const obeysRights =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

const disks: readonly Disk[] = [
  {
    name: 'full',
    code: 'EFBIG',
    threads: 2,
    wrapper: ['prlimit', '--fsize=0:'],
    close: () => undefined,
    open: (_, pid) => execFileSync('prlimit', ['--pid', String(pid), '--fsize=4294967296:']),
  },
  {
    name: 'not to be written',
    code: 'EACCES',
    threads: 1,
    wrapper: obeysRights,
    close: forbidWriting,
    open: allowWriting,
  },
]

const clientOf = ({ address }: Pick<Serving, 'address'>) => {
  const fetchAs = (apiKey: string, path: string, init: RequestInit = {}) =>
    fetch(`${address}${path}`, { ...init, headers: { 'X-API-Key': apiKey, connection: 'close' } })
  return {
    fetchAs,
    list: async (path: string) => {
      const response = await fetchAs(key, path)
      assert.equal(response.status, 200, path)
      return response.text()
    },
    rotate: () => fetchAs(key, '/api/v2/service-accounts/me/rotate-api-key', { method: 'POST' }),
    readiness: async () => {
      const response = await fetch(`${address}/readyz`)
      assert.equal(response.status, 200)
      const { notWritten = [] } = (await response.json()) as { notWritten?: { store: string }[] }
      return notWritten.map(({ store }) => store)
    },
    unwritable: async (store: string) => {
      const text = await (await fetch(`${address}/metrics`)).text()
      return new RegExp(`tripfolio_store_unwritable\\{store="${store}"\\} (\\d)`).exec(text)?.[1]
    },
  }
}

for (const disk of disks) {
  describe(`a restart on a disk that is ${disk.name}, with ${disk.threads} threads`, () => {
    it('serves what is there, says once what it does not write, and writes again when it can', async (t) => {
      const data = await copyOf(t)
      disk.close(data)
      await whileServing(
        data,
        async (serving) => {
          const { address, pid, output, until, kill } = serving
          const { list, rotate, readiness, unwritable } = clientOf({ address })
          await until(/snapshot announced/)
          assert.match(await list('/api/v2/bookings'), /recordLocator/)
          assert.match(
            await list('/api/v2/invoices?$filter=lineItems.lineType eq %27FARE%27'),
            /invoiceNumber/,
          )
          assert.match(await list('/api/v1/bookings'), /recordLocator/)
          assert.deepEqual((await readiness()).sort(), ['control', 'history'])
          assert.deepEqual([await unwritable('control'), await unwritable('history')], ['1', '1'])
          for (let asked = 0; asked < 5; asked++) {
            const refused = await rotate()
            assert.equal(refused.status, 503)
            assert.match(await refused.text(), /^{"error":"Changes cannot be saved at the moment/)
          }
          assert.match(await list('/api/v2/bookings'), /recordLocator/)
          const complaints = output().match(/"store":"control".*cannot write/g)
          assert.equal(complaints?.length, 1, output())
          assert.match(complaints?.[0] ?? '', new RegExp(`${data}/control.db.*\\(${disk.code}\\)`))
          assert.doesNotMatch(output(), / {4}at /)

          disk.open(data, pid)
          await eventually(async () => (await rotate()).status !== 503)
          await until(/"store":"control".*writing works again/)
          assert.equal(await unwritable('control'), '0')
          assert.ok(!(await readiness()).includes('control'))
          assert.equal(await kill('SIGTERM'), 0)
        },
        { args: ['--threads', String(disk.threads)], wrapper: disk.wrapper },
      )
      const store = await openControlStore(data)
      const accounts = await store.accounts.list()
      await store.close()
      assert.notEqual(accounts.find(({ name }) => name === 'one')?.rotatedAt ?? null, null)
    })
  })

  describe(`a command on a disk that is ${disk.name}`, () => {
    let data: string
    let current: string | undefined
    let ends: Awaited<ReturnType<typeof runInTurn>>
    before(async () => {
      data = join(root, `commands-${disk.code}`)
      const [empty, emptied] = [`${data}-empty`, `${data}-emptied`]
      await mkdir(empty)
      for (const copy of [data, emptied]) await cp(prepared, copy, { recursive: true })
      await rm(join(emptied, 'snapshots'), { recursive: true })
      await rm(join(emptied, 'control.db'))
      await createAccount(emptied, 'C00001', 'Demo')
      current = await readCurrentId(data)
      for (const folder of [data, empty, emptied]) disk.close(folder)
      ends = await runInTurn(
        [
          ['account', 'create', '--client', harbour, '--name', 'third', '--data', data],
          ['ingest', '--source', source, '--data', data],
          ['account', 'list', '--data', data],
          ['serve', '--data', empty, '--port', '0'],
          ['serve', '--data', emptied, '--port', '0'],
        ],
        disk.wrapper,
        SMALL_SERVICE,
      )
      for (const folder of [data, empty, emptied]) allowWriting(folder)
    })

    it('names the disk and changes nothing', async () => {
      const [account, ingest, list] = ends
      assert.equal(account?.code, 5)
      assert.match(account.stderr, new RegExp(`control.db cannot be written: .*\\(${disk.code}\\)`))
      assert.equal(ingest?.code, 5)
      assert.match(ingest.stderr, new RegExp(`Cannot write .*'${data}.*\\(${disk.code}\\)`))
      assert.doesNotMatch(ingest.stderr, /damaged|Export it again/)
      assert.equal(list?.code, 0)
      assert.equal(await readCurrentId(data), current)
      assert.deepEqual(await readdir(join(data, 'snapshots')), await listSnapshotIds(data))
      await refresh({ source, data })
    })

    it('that would be a first run says why it cannot begin, without a stack', () => {
      const { code, stderr = '' } = ends[3] ?? {}
      assert.equal(code, 5)
      assert.match(
        stderr,
        new RegExp(`tripfolio: Cannot make ${data}-empty/control.db: .*\\(${disk.code}\\)`),
      )
      assert.doesNotMatch(stderr, / {4}at /)
    })

    it('that would make a demo next to a store says why it cannot, without a stack', () => {
      const { code, stderr = '' } = ends[4] ?? {}
      assert.equal(code, 5)
      assert.match(stderr, new RegExp(`\\(${disk.code}\\)`))
      assert.doesNotMatch(stderr, / {4}at /)
    })
  })

  describe(`a restart after a crash on a disk that is ${disk.name}`, () => {
    it('knows the changes that only the log of the store holds', async (t) => {
      const data = await copyOf(t)
      const control = join(data, 'control.db')
      // As a crash leaves it: the change is in the log, and the log's index is gone.
      const database = new DatabaseSync(control)
      database.exec(`update accounts set active = 0 where name = 'other'`)
      const copies = ['', '-wal'].map(
        (companion) => [control + companion, `${control}${companion}.kept`] as const,
      )
      for (const [from, to] of copies) await cp(from, to)
      database.close()
      for (const [to, from] of copies) {
        await cp(from, to)
        await rm(from)
      }
      await rm(`${control}-shm`, { force: true })
      disk.close(data)
      await whileServing(
        data,
        async ({ address, until }) => {
          await until(/snapshot announced/)
          const { fetchAs } = clientOf({ address })
          assert.equal((await fetchAs(key, '/api/v2/bookings')).status, 200)
          assert.equal((await fetchAs(otherKey, '/api/v2/bookings')).status, 401)
        },
        { wrapper: disk.wrapper },
      )
    })
  })
}

/** For root without these capabilities, a folder of the other user is that of another user as for everybody else. */
const isRoot = process.getuid?.() === 0
const asAnother = isRoot
  ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner', '--inh-caps=-all']
  : []
const OTHER_USER = 65_534

/** Tests of a user who is not root cannot give a file away: they keep the rights. */
function giveAway(folder: string, modes: { readonly folder: number; readonly file: number }): void {
  for (const path of everythingIn(folder)) {
    chmodSync(path, statSync(path).isDirectory() ? modes.folder : modes.file)
    if (isRoot) chownSync(path, OTHER_USER, OTHER_USER)
  }
}

describe('a data folder of another user', () => {
  it('is served when it can be read', async (t) => {
    const data = await copyOf(t)
    giveAway(data, { folder: 0o755, file: 0o444 })
    await whileServing(
      data,
      async ({ address, until }) => {
        await until(/snapshot announced/)
        const { list, readiness } = clientOf({ address })
        assert.match(await list('/api/v2/bookings'), /recordLocator/)
        assert.ok((await readiness()).includes('control'))
      },
      { wrapper: asAnother },
    )
  })

  it('that cannot be read is refused with whose command it is', async (t) => {
    const data = await copyOf(t)
    giveAway(data, { folder: isRoot ? 0o700 : 0o000, file: 0o600 })
    const calls = [
      ['account', 'list', '--json'],
      ['snapshot', 'list'],
      ['account', 'list'],
    ].map((args) => [...args, '--data', data])
    const [[json, ...listed], served] = await Promise.all([
      runInTurn(calls, asAnother),
      runTripfolio(['serve', '--data', data], {}, asAnother),
    ])
    const ends = [...listed, served]
    chmodSync(data, 0o700)
    assert.equal(JSON.parse(json?.stderr ?? '').error.code, 'CFG102')
    for (const { code, stderr } of ends) {
      assert.equal(code, 5)
      assert.match(
        stderr,
        /^tripfolio: This user may not read the data folder .*\n {11}Run the command as the owner/,
      )
    }
  })
})

describe('a key that is taken away while the disk comes back', () => {
  it('is refused from the next request on', async (t) => {
    const data = await copyOf(t)
    const [full] = disks as [Disk]
    await whileServing(
      data,
      async ({ address, until }) => {
        await until(/snapshot announced/)
        const { fetchAs } = clientOf({ address })
        assert.equal((await fetchAs(otherKey, '/api/v2/bookings')).status, 200)
        // The limit is of that process: to this one the disk has room again.
        const store = await openControlStore(data)
        const other = (await store.accounts.list()).find(({ name }) => name === 'other')
        await store.accounts.setActive(other?.id ?? '', false, 'test')
        await store.close()
        assert.equal((await fetchAs(otherKey, '/api/v2/bookings')).status, 401)
        assert.equal((await fetchAs(key, '/api/v2/bookings')).status, 200)
      },
      { wrapper: full.wrapper },
    )
  })
})

describe('a control store that lost its content', () => {
  it('is refused with what to do, and the file stays as it is', async (t) => {
    const data = await copyOf(t)
    await writeFile(join(data, 'control.db'), '')
    const ends = [
      await runCommand(['serve', '--port', '0', '--data', data]),
      await runCommand(['account', 'list', '--data', data]),
    ]
    for (const { code, stderr } of ends) {
      assert.equal(code, 5)
      assert.match(stderr, /control.db is not a control store, or is damaged: it is empty/)
      assert.match(stderr, /restore a backup/)
    }
    assert.equal(statSync(join(data, 'control.db')).size, 0)
  })
})

/** The service tries again every two seconds; how long the machine takes does not matter. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 100))
}
