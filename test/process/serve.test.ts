import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { createAccount } from './accounts.ts'
import { makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'
import { runTripfolio, whileServing } from './tripfolio-process.ts'

const shell = promisify(execFile)

describe('tripfolio serve on an empty folder', () => {
  let data: string
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
  })
  after(() => rm(data, { recursive: true, force: true }))

  it('makes a demo, and what it prints works: curl lines when pasted, pages when opened; the next start just serves', async () => {
    const apiKey = await whileServing(
      data,
      async (serving) => {
        const lines = serving.output().match(/^ {2}curl .*$/gm) ?? []
        assert.equal(lines.length, 4)
        assert.match(lines[1] ?? '', /tripStartLocal ge '2026-03-04' and tripStartLocal lt '2026-03-11'/)
        const { stdout } = await shell('bash', ['-euc', lines.join('\necho\n')])
        const answers = stdout.trimEnd().split('\n')
        assert.equal(answers.length, lines.length)
        for (const [at, answer] of answers.entries()) {
          const body = JSON.parse(answer)
          assert.ok(body.count > 0, `${lines[at]} answers ${answer.slice(0, 200)}`)
          assert.ok(body._meta.total > 0)
        }
        assert.match(serving.output(), /First run: making a demo/)
        const pages = serving.output().match(/http:\S+\/(?:docs|explore|console)\b/g) ?? []
        assert.equal(pages.length, 3)
        for (const page of pages) assert.equal((await fetch(page)).status, 200, page)
        const key = (/X-API-Key: (\S{64})'/.exec(serving.output()) as RegExpExecArray)[1] as string
        assert.equal(await serving.kill('SIGTERM'), 0)
        return key
      },
      { env: { TRIPFOLIO_DEMO_TODAY: '2026-03-04' } },
    )
    await whileServing(data, async ({ address, output }) => {
      assert.ok(!output().includes('API key'), 'the key is shown once')
      const response = await fetch(`${address}/api/v2/bookings?$pageSize=1`, {
        headers: { 'X-API-Key': apiKey },
      })
      assert.equal(response.status, 200)
      assert.ok(!output().includes(apiKey), 'no log line holds the key')
    })
  })
})

describe('a first run that is told to stop', () => {
  it('ends in good order before its demo is there', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    await whileServing(
      data,
      async ({ output, kill }) => {
        assert.equal(await kill('SIGTERM'), 0)
        assert.doesNotMatch(output(), /X-API-Key| {4}at /)
      },
      { args: ['--threads', '1'], ready: /turning it into a snapshot/ },
    )
    assert.ok(!(await readdir(data)).includes('current'), 'nothing is published')
  })
})

describe('tripfolio serve', () => {
  it('notices a snapshot and an account that other processes made', async (t) => {
    const { source, data } = await makeFolders(t)
    await publishExtract({ source, data }, fixtureExtract)
    // An account of somebody's own.
    await createAccount(data, harbour, 'first')
    await whileServingHere(data, async ({ address, until }) => {
      const account = ['--client', harbour, '--name', 'second']
      const created = await runTripfolio(['account', 'create', '--data', data, ...account, '--json'])
      const { apiKey } = JSON.parse(created.stdout)
      const read = () => fetch(`${address}/api/v2/bookings?$pageSize=1`, { headers: { 'X-API-Key': apiKey } })
      const first = await read()
      assert.equal(first.status, 200)
      const ingested = await runTripfolio(['ingest', '--data', data, '--source', source, '--json'])
      assert.equal(ingested.code, 0, ingested.stderr)
      const { snapshot } = JSON.parse(ingested.stdout)
      await until(new RegExp(snapshot))
      const second = await read()
      assert.equal(second.headers.get('snapshot-id'), snapshot)
      assert.equal(second.headers.get('etag'), first.headers.get('etag'), 'unchanged data keeps its ETag')
    })
  })
})

describe('tripfolio serve that is killed', () => {
  it('has left its compiled code to the next start', async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(root, { recursive: true, force: true }))
    const cache = join(root, 'cache')
    await publishExtract({ data: join(root, 'data') }, fixtureExtract)
    await whileServing(
      join(root, 'data'),
      async ({ output, kill }) => {
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0]
        // The thread that answers has kept it by then.
        assert.equal((await fetch(`${address}/livez`)).status, 200)
        await kill('SIGKILL')
      },
      {
        args: ['--threads', '1'],
        env: { NODE_COMPILE_CACHE: cache },
        ready: /There is no account yet/,
      },
    )
    const kept = await readdir(cache, { recursive: true })
    assert.ok(kept.length > 100, `${kept.length} files`)
  })
})

describe('two first runs at once on a folder that a killed one left', () => {
  it('make one demo: one of them does, the other waits for it, and both serve it', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    await whileServing(data, ({ kill }) => kill('SIGKILL'), { ready: /turning it into a snapshot/ })
    const keys: string[] = []
    const waited: boolean[] = []
    const bothReady = Promise.withResolvers<void>()
    let ready = 0
    const serve = () =>
      whileServing(
        data,
        async ({ output, until }) => {
          const [, address] = await until(/serves (http:\/\/127\.0\.0\.1:\d+)/)
          await until(/snapshot announced/)
          const shown = /X-API-Key: (\S{64})'/.exec(output())?.[1]
          if (shown !== undefined) {
            keys.push(shown)
            // The demo is made for the day of the start. Midnight may have passed since.
            const day = /tripStartLocal ge '([^']+)'/.exec(output())?.[1] ?? ''
            assert.ok(Math.abs(Date.now() - Date.parse(day)) < 2 * 86_400_000, day)
          }
          waited.push(/Another process is preparing a demo in .*: waiting/.test(output()))
          if (++ready === 2) bothReady.resolve()
          await bothReady.promise
          assert.equal(keys.length, 1)
          const headers = { 'X-API-Key': keys[0] as string }
          const response = await fetch(`${address}/api/v2/bookings?$pageSize=1`, { headers })
          assert.equal(response.status, 200)
          assert.doesNotMatch(output(), / {4}at /)
        },
        // One begins to wait before the other has done, also on a busy machine.
        { args: ['--threads', '1'], env: { TRIPFOLIO_DEMO_BOOKINGS: '2000' } },
      ).catch((error) => {
        // Otherwise the other one would wait for ever.
        bothReady.reject(error)
        throw error
      })
    await Promise.all([serve(), serve()])
    assert.deepEqual(waited.sort(), [false, true])
    const store = await openControlStore(data)
    assert.equal((await store.accounts.list()).length, 1)
    await store.close()
    assert.equal((await readdir(join(data, 'snapshots'))).length, 1)
    assert.ok(!(await readdir(data)).includes('first-run.lock'))
  })

  it('continue with the next when the first one is killed in the middle', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    await whileServing(
      data,
      async ({ kill }) => {
        await whileServing(
          data,
          async ({ until }) => {
            await kill('SIGKILL')
            await until(/X-API-Key: \S{64}'/)
            await until(/snapshot announced/)
          },
          { args: ['--threads', '1'], ready: /Another process is preparing a demo/ },
        )
      },
      // It takes so long that another process begins to wait, also on a busy machine.
      {
        args: ['--threads', '1'],
        ready: /turning it into a snapshot/,
        env: { TRIPFOLIO_DEMO_BOOKINGS: '8000' },
      },
    )
  })
})

describe('tripfolio serve with a source', () => {
  it('refreshes on schedule, and keeps serving what it has when a refresh is refused', async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(root, { recursive: true, force: true }))
    const [data, source] = [join(root, 'data'), join(root, 'extract')]
    await writeExtract(source, fixtureExtract, 'csv')
    const args = ['--source', source, '--refresh', '* * * * * *']
    await whileServing(
      data,
      async ({ address, until, kill }) => {
        await until(/"setting":"jwtKeys".*nowhere.json: ENOENT/)
        await until(/There is no account yet/)
        await until(/refresh published/)
        await fetch(`${address}/api/admin/v1/endpoints`, {
          headers: { Authorization: `Bearer ${btoa('{"alg":"RS256"}')}.e30.eA`.replaceAll('=', '') },
        })
        await until(/nowhere.json: ENOENT.*tokens cannot be checked/)
        const headers = { 'X-API-Key': await createAccount(data, harbour, 'scheduled') }
        await rm(join(source, 'segments.csv'))
        // Twice: the schedule goes on after a refusal.
        await until(/segments.*refresh refused[\s\S]*segments.*refresh refused/)
        const response = await fetch(`${address}/api/v2/itineraries`, { headers })
        assert.equal(response.status, 200)
        assert.ok(((await response.json()) as { count: number }).count > 0)
        assert.equal(await kill('SIGTERM'), 0)
      },
      { args, env: { TRIPFOLIO_JWT_KEYS: join(root, 'nowhere.json') } },
    )
  })

  it('says at the start that the source is missing', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    const args = ['--source', join(data, 'nowhere'), '--refresh', '0 0 1 1 *']
    await whileServing(
      data,
      async ({ until }) => {
        await until(/"setting":"source".*nowhere' cannot be read: ENOENT/)
        await until(/There is no snapshot yet: run `tripfolio ingest --source FOLDER`/)
      },
      { args },
    )
  })
})

describe('tripfolio serve that cannot start', () => {
  let data: string
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
  })
  after(() => rm(data, { recursive: true, force: true }))

  const oneLine = (stderr: string, pattern: RegExp) => {
    assert.match(stderr, pattern)
    assert.ok(!stderr.includes('    at '), `no stack trace:\n${stderr}`)
  }

  it('says that the port is in use, and makes no demo', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    try {
      const { port } = blocker.address() as AddressInfo
      const { code, stderr } = await runTripfolio(['serve', '--data', data, '--port', String(port)])
      assert.equal(code, 2)
      oneLine(stderr, new RegExp(`Port ${port} .*in use`))
    } finally {
      blocker.close()
    }
  })

  it('says that the data folder cannot be made', async () => {
    const file = join(data, 'file')
    await writeFile(file, '')
    const { code, stderr } = await runCommand(['serve', '--data', join(file, 'data'), '--port', '0'])
    assert.equal(code, 5)
    oneLine(stderr, /tripfolio: .*file\/data/)
  })

  it('says that a refresh is scheduled without a source', async () => {
    const { code, stderr } = await runCommand(['serve', '--data', data, '--refresh', '0 * * * *'])
    assert.equal(code, 2)
    oneLine(stderr, /no source/)
  })

  it('names an unknown setting and the nearest known one', async () => {
    const { code, stderr } = await runCommand(['serve', '--data', data], { TRIPFOLIO_PROT: '1' })
    assert.equal(code, 2)
    oneLine(stderr, /TRIPFOLIO_PROT.*TRIPFOLIO_PORT/s)
  })
})

describe('tripfolio serve that is told to stop', () => {
  it('ends in good order also when some of its threads are still starting', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    // An account of somebody's own: no demo is made.
    await createAccount(data, harbour, 'own')
    for (const milliseconds of [0, 150]) {
      await whileServing(
        data,
        async ({ kill, output }) => {
          await new Promise((resolve) => setTimeout(resolve, milliseconds))
          assert.equal(await kill('SIGTERM'), 0, output())
        },
        { args: ['--threads', '2'] },
      )
    }
  })
})

describe('tripfolio serve on a damaged history', () => {
  it('puts it aside, says so, and serves', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-serve-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    await createAccount(data, harbour, 'own')
    await writeFile(join(data, 'history.db'), 'this is no database '.repeat(100))
    await whileServingHere(data, async ({ address, until }) => {
      assert.equal((await fetch(`${address}/livez`)).status, 200)
      await until(/put aside and a new one begun.*history\.db\.damaged-|history\.db\.damaged-.*put aside/)
    })
  })
})
