/** Who gets in when more connections are opened than there is room for, and who is cut off: a process and real sockets. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { currentFile, readCurrentId, snapshotFolder } from '../../src/snapshot/format/layout.ts'
import { replaceDurably, snapshotDisk } from '../../src/snapshot/writing/snapshot-disk.ts'
import { harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { createAccount } from './accounts.ts'
import { refresh } from './ingest-fixture.ts'
import { LARGE_BOOKINGS, largeExtract } from './large-extract.ts'
import { get, RawCaller } from './raw-caller.ts'
import { whileServingHere } from './service-in-process.ts'
import { whileServing } from './tripfolio-process.ts'

const run = promisify(execFile)

let root: string
let data: string
/** The data folder with one more snapshot, in which all bookings differ. */
let next: string
let apiKey: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-connections-'))
  data = join(root, 'data')
  next = join(root, 'next')
  await publishExtract({ data }, largeExtract())
  apiKey = await createAccount(data, harbour, 'connections')
  await cp(data, next, { recursive: true })
  const source = join(root, 'extract')
  await writeExtract(source, largeExtract('Another agency'), 'csv')
  await refresh({ source, data: next })
})
after(() => rm(root, { recursive: true, force: true }))

const closing = (request: string) => request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

/** The status, or none when the connection ended without an answer. */
async function ask(address: string, path: string, from: string): Promise<number | undefined> {
  const [answer] = await new RawCaller(address, from).send(closing(get(path, apiKey))).answered()
  return answer?.status
}

/** Connections that send nothing, each open or refused by the time it is over. */
async function flood(address: string, count: number, from = '127.0.0.1'): Promise<readonly RawCaller[]> {
  const callers = Array.from({ length: count }, () => new RawCaller(address, from))
  await Promise.all(
    callers.map(
      ({ socket }) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
    ),
  )
  return callers
}

const leave = (callers: readonly RawCaller[]) => callers.forEach(({ socket }) => void socket.destroy())

async function metric(address: string, name: string, from = '127.0.0.9'): Promise<number> {
  const [answer] = await new RawCaller(address, from).send(closing(get('/metrics'))).answered()
  const lines = (answer?.body ?? '').split('\n').filter((line) => line.startsWith(name))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

describe('more connections from one address than it may have', () => {
  it('are told why, on the connection that is one too many', () =>
    whileServingHere(
      data,
      async ({ address }) => {
        const asking = await flood(address, 3)
        // They are in use, so that they do not give way.
        for (const caller of asking) caller.send(`${get('/livez')}GET /livez HTTP/1.1\r\n`)
        await Promise.all(asking.map((caller) => caller.answered()))
        const [answer] = await new RawCaller(address).send(get('/api/v2/bookings', apiKey)).answered()
        assert.deepEqual(
          [answer?.status, answer?.headers.get('connection'), answer?.headers.get('retry-after')],
          [503, 'close', '5'],
        )
        assert.match(answer?.body ?? '', /^\{"error":"Too many connections are open; .*"\}$/)
        assert.equal(await ask(address, '/api/v2/bookings?$pageSize=1', '127.0.0.2'), 200)
        leave(asking)
      },
      { threads: 1, env: { TRIPFOLIO_CONNECTIONS_PER_ADDRESS: '3' } },
    ))
})

describe('more connections from a trusted proxy than one address may have', () => {
  it('are all answered, and so are other callers', () =>
    whileServingHere(
      data,
      async ({ address }) => {
        const used = await flood(address, 20)
        // They are in use, so that they do not give way.
        for (const caller of used)
          caller.send(`${get('/api/v2/bookings?$pageSize=1', apiKey)}GET /livez HTTP/1.1\r\n`)
        for (const caller of used) {
          const [answer] = await caller.answered()
          assert.equal(answer?.status, 200)
        }
        assert.equal(await ask(address, '/api/v2/bookings?$pageSize=1', '127.0.0.2'), 200)
        leave(used)
      },
      {
        threads: 1,
        env: { TRIPFOLIO_CONNECTIONS_PER_ADDRESS: '3', TRIPFOLIO_TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' },
      },
    ))
})

describe('more connections than there is room for', () => {
  it('keep nobody else out of a process that may open few files', (test) =>
    whileServing(
      data,
      async ({ address, until, output }) => {
        await test.test(
          'from one address: all others have theirs, and probes are answered for that address too',
          async () => {
            const idle = await flood(address, 400)
            for (let i = 0; i < 20; i++) {
              assert.equal(await ask(address, '/livez', '127.0.0.2'), 200)
              assert.equal(await ask(address, '/api/v2/bookings?$pageSize=1', '127.0.0.2'), 200)
              assert.equal(await ask(address, '/livez', '127.0.0.1'), 200)
            }
            await until(/"perAddress":[1-9].*connections were refused/)
            assert.ok((await metric(address, 'tripfolio_connections_refused_total')) > 0)
            leave(idle)
            while ((await ask(address, '/api/v2/bookings?$pageSize=1', '127.0.0.1')) !== 200);
          },
        )
        await test.test(
          'in all: there is room for probes and for all files of the service, and those that do nothing give way',
          async () => {
            const floods = await Promise.all(
              Array.from({ length: 8 }, (_, i) => flood(address, 60, `127.0.1.${i + 1}`)),
            )
            for (let i = 0; i < 20; i++) assert.equal(await ask(address, '/livez', '127.0.0.2'), 200)
            // A connection that was idle for a second is closed to make room for a new one.
            while ((await ask(address, '/api/v2/bookings?$pageSize=1', '127.0.0.3')) !== 200)
              await setTimeout(50)
            assert.doesNotMatch(output(), /EMFILE|may open no more files/)
            leave(floods.flat())
          },
        )
      },
      { mostFiles: 256, args: ['--threads', '2'] },
    ))
})

describe('a process that may open no more files', () => {
  it('says so, with what to do', () =>
    whileServing(data, () => Promise.resolve(), {
      // By a check now and then, or by a thread that cannot open the history.
      ready: /"level":"error".*no more files can be opened.*raise the limit/i,
      mostFiles: 60,
      args: ['--threads', '2'],
    }))

  it('holds no file for damaged that it cannot open, and loads it as soon as it can', async () => {
    const script = fileURLToPath(new URL('without-files.ts', import.meta.url))
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', script, data, harbour]
    const { stdout } = await run('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node])
    const { refused, store, kinds, snapshotId } = JSON.parse(stdout)
    assert.match(refused, /^SNP310 The bookings file of client 'C100' cannot be opened: EMFILE/)
    assert.match(store, /^DIR101 .*no more files can be opened \(EMFILE\); raise the limit/)
    assert.deepEqual(kinds, ['files-exhausted', 'partition-loaded'])
    assert.equal(snapshotId, true, 'it is not that of an older snapshot')
  })
})

describe('a reader that stops', () => {
  it('is cut off after readerIdleSeconds, and one that continues slowly is not', () =>
    whileServingHere(
      data,
      async ({ address, until }) => {
        const stopped = new RawCaller(address).send(get('/api/v2/bookings', apiKey)).stop()
        const slow = new RawCaller(address).send(get('/api/v2/bookings', apiKey)).stop()
        let isOver = false
        const line = until(/"readers":1,"seconds":3,"reason":"idle"/).then(() => {
          isOver = true
        })
        while (!isOver) {
          slow.goOn()
          await Promise.race([new Promise((resolve) => slow.socket.once('data', resolve)), line])
          slow.stop()
          await Promise.race([setTimeout(50), line])
        }
        stopped.goOn()
        await stopped.closed
        assert.deepEqual(stopped.answers, [])
        const [answer] = await slow.goOn().answered()
        assert.ok(JSON.parse(answer?.body ?? '').count > LARGE_BOOKINGS)
        assert.equal(await metric(address, 'tripfolio_readers_cut_off_total{reason="idle"}'), 1)
      },
      { threads: 1, env: { TRIPFOLIO_READER_IDLE_SECONDS: '3' } },
    ))
})

/** An export of which the reader takes the head and then nothing. */
async function stoppedExport(address: string): Promise<RawCaller> {
  const caller = new RawCaller(address).send(get('/api/v2/bookings', apiKey))
  await new Promise((resolve) => caller.socket.once('data', resolve))
  return caller.stop()
}

const snapshotOf = async (address: string) => {
  const [answer] = await new RawCaller(address)
    .send(closing(get('/api/v2/bookings?$pageSize=1', apiKey)))
    .answered()
  return answer?.headers.get('snapshot-id')
}

const copyOfData = async (): Promise<string> => {
  const copy = join(root, crypto.randomUUID())
  await cp(data, copy, { recursive: true })
  return copy
}

/** Publishes the next snapshot as a refresh does, without making it again, and waits until it is answered from. */
async function replace(address: string, replaced: string): Promise<void> {
  const id = (await readCurrentId(next)) ?? ''
  await cp(snapshotFolder(next, id), snapshotFolder(replaced, id), { recursive: true })
  await replaceDurably(snapshotDisk, currentFile(replaced), `${id}\n`)
  while ((await snapshotOf(address)) !== id) await setTimeout(50)
}

describe('a file that is replaced while a caller reads an answer from it', () => {
  it('counts until the answer is sent, whole and from the snapshot that it began with', async () => {
    const replaced = await copyOfData()
    await whileServingHere(
      replaced,
      async ({ address }) => {
        const before = await snapshotOf(address)
        const stopped = await stoppedExport(address)
        assert.equal(await metric(address, 'tripfolio_replaced_bytes'), 0)
        await replace(address, replaced)
        // The new snapshot may be answered from while the other thread still changes over.
        while ((await metric(address, 'tripfolio_replaced_bytes')) < 10_000_000) await setTimeout(50)
        const [answer] = await stopped.goOn().answered()
        assert.equal(answer?.headers.get('snapshot-id'), before)
        assert.doesNotMatch(answer?.body ?? '', /Another agency/)
        assert.ok(JSON.parse(answer?.body ?? '').count > LARGE_BOOKINGS)
        stopped.socket.destroy()
        while ((await metric(address, 'tripfolio_replaced_bytes')) > 0) await setTimeout(50)
      },
      { threads: 2 },
    )
  })

  it('is given up when memory is short and the reader takes nothing', async () => {
    const replaced = await copyOfData()
    await whileServingHere(
      replaced,
      async ({ address, output }) => {
        const stopped = await stoppedExport(address)
        await replace(address, replaced)
        // There is room for one of the files, and callers want the other.
        while (!/"readers":1,"seconds":\d+,"reason":"memory"/.test(output())) {
          assert.ok(await snapshotOf(address))
          await setTimeout(100)
        }
        stopped.goOn()
        await stopped.closed
        assert.deepEqual(stopped.answers, [])
        while ((await metric(address, 'tripfolio_replaced_bytes')) > 0) await setTimeout(50)
      },
      { env: { TRIPFOLIO_MEMORY_BUDGET: '18MiB' } },
    )
  })
})
