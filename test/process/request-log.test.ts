/** The log as it leaves the process: through pipes that are read, read late, or not at all, and until the last line. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { version as installed } from '../../src/kernel/files/version.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { get, RawCaller } from './raw-caller.ts'
import { whileServingHere } from './service-in-process.ts'
import { whileServing } from './tripfolio-process.ts'

let root: string
let data: string
let apiKey: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-request-log-'))
  data = join(root, 'data')
  await publishExtract({ data }, fixtureExtract)
  apiKey = await createAccount(data, harbour, 'log')
})
after(() => rm(root, { recursive: true, force: true }))

/** What Kubernetes tells a container of a service named tripfolio. */
const ofKubernetes = {
  TRIPFOLIO_SERVICE_HOST: '10.0.0.1',
  TRIPFOLIO_SERVICE_PORT: '8080',
  TRIPFOLIO_PORT: 'tcp://10.0.0.1:8080',
  TRIPFOLIO_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
  TRIPFOLIO_PORT_8080_TCP_ADDR: '10.0.0.1',
}

type Line = Readonly<Record<string, unknown>>

const parsed = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const withMessage = (lines: readonly Line[], msg: string) => lines.filter((line) => line.msg === msg)

/** Sends requests for an unknown address over some connections, and waits until each is answered with 404. */
async function ask(address: string, count: number): Promise<void> {
  const connections = 20
  const each = count / connections
  await Promise.all(Array.from({ length: connections }, () => askInOneGo(address, each)))
}

function askInOneGo(address: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(address)
    let text = ''
    const socket = connect({ host, port: Number(port) })
    socket.once('error', reject).setEncoding('latin1')
    socket.write(get('/api/v2/hotels').repeat(count))
    socket.on('data', (more) => {
      text += more
      if (text.split('HTTP/1.1 404').length - 1 < count) return
      socket.destroy()
      resolve()
    })
  })
}

describe('the log of a service that is told to stop', () => {
  it('has 1,000 requests that several threads answered just before, and the start and the stop', () =>
    whileServing(
      data,
      async ({ address, output, kill }) => {
        await ask(address, 1000)
        assert.equal(await kill('SIGTERM'), 0)
        const lines = parsed(output())
        assert.equal(withMessage(lines, 'request').length, 1000)
        const [started] = withMessage(lines, 'service started')
        const { time, ...members } = started ?? {}
        assert.deepEqual(members, {
          level: 'info',
          version: installed,
          address,
          threads: 2,
          scriptThreads: 1,
          data,
          msg: 'service started',
        })
        assert.equal(withMessage(lines, 'service stopping')[0]?.reason, 'SIGTERM')
        const stopped = lines.at(-1)
        assert.equal(stopped?.msg, 'service stopped')
        assert.deepEqual([stopped?.reason, stopped?.requestsCutOff, stopped?.runsCutOff], ['SIGTERM', 0, 0])
        assert.equal(typeof stopped?.ms, 'number')
      },
      { args: ['--threads', '2'], env: ofKubernetes },
    ))

  it('has 1,000 requests that one thread answered, with the fields that docs/how-to/operations.md lists, and no others', async () => {
    const documented = await documentedFields()
    await whileServingHere(data, async ({ address, output, close }) => {
      await fetch(`${address}/api/v2/bookings`, { headers: { 'X-API-Key': apiKey } })
      await fetch(`${address}/api/v2/bookings?$filter=wrong`, { headers: { 'X-API-Key': apiKey } })
      const leaving = new RawCaller(address).send(get('/api/v2/bookings', apiKey))
      leaving.socket.destroy()
      await ask(address, 1000)
      await close()
      const requests = withMessage(parsed(output()), 'request')
      assert.equal(requests.filter(({ status }) => status === 404).length, 1000)
      const seen = new Set(requests.flatMap((line) => Object.keys(line)))
      assert.deepEqual(
        [...seen].filter((name) => !documented.includes(name)),
        [],
      )
      // `aborted` depends on how far the service is when the caller leaves.
      assert.deepEqual(
        documented.filter((name) => name !== 'aborted' && !seen.has(name)),
        [],
      )
      assert.ok(!output().includes(apiKey))
    })
  })
})

/** The names in the table of the fields of a request. */
async function documentedFields(): Promise<readonly string[]> {
  const page = await readFile(new URL('../../docs/how-to/operations.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('| field of a request |')).split('\n\n', 1)[0] ?? ''
  const names = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
  assert.ok(names.length > 5)
  return names
}

/** A service whose standard output is a pipe that only the test reads. */
async function serveIntoPipe(env: Readonly<Record<string, string>>) {
  const path = join(root, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  const binary = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))
  const child = spawn(binary, ['serve', '--data', data, '--port', '0', '--threads', '1'], {
    stdio: ['ignore', writer, 'inherit'],
    env: { ...process.env, TRIPFOLIO_SCRIPT_THREADS: '1', ...env },
  })
  closeSync(writer)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let text = ''
  const space = Buffer.alloc(65_536)
  const read = () => {
    try {
      for (let bytes = 1; bytes > 0; ) {
        bytes = readSync(reader, space)
        text += space.toString('latin1', 0, bytes)
      }
    } catch (cause) {
      assert.equal((cause as NodeJS.ErrnoException).code, 'EAGAIN')
    }
  }
  const readUntil = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      read()
      const match = pattern.exec(text)
      if (match !== null) return match[0]
      await setTimeout(5)
    }
  }
  return { child, ended, readUntil, text: () => text }
}

describe('a reader of the log that stops', () => {
  it('delays no answer; what it misses is counted, and told when it reads again', async () => {
    const { child, ended, readUntil, text } = await serveIntoPipe({ TRIPFOLIO_LOG_BUFFER_BYTES: '64KiB' })
    try {
      const address = (await readUntil(/(?<="address":")http:\/\/127\.0\.0\.1:\d+(?=")/)) ?? ''
      // The pipe and the buffer take a third of these lines.
      await ask(address, 2000)
      const metrics = await (await fetch(`${address}/metrics`)).text()
      const counted = Number(/^tripfolio_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])
      assert.ok(counted > 500)
      await readUntil(/lines of the log were dropped/)
      const [told] = withMessage(
        parsed(text()),
        'lines of the log were dropped because its reader did not keep up',
      )
      const written = withMessage(parsed(text()), 'request').length
      assert.equal(Number(told?.lines) + written, 2000)

      await ask(address, 1000)
      child.kill('SIGTERM')
      assert.equal(await ended, 0, 'the service ends although nobody reads its log')
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('standard output of a service', () => {
  it('has only lines of the log, from the first run until the stop', async () => {
    const file = join(root, 'standard-output')
    const demo = join(root, 'demo')
    const wrapper = ['sh', '-c', `exec "$@" > ${file}`, 'sh']
    await whileServing(
      demo,
      async ({ address, output, kill }) => {
        assert.match(output(), /First run: .*[\s\S]*shown only now/, 'a person is told on standard error')
        assert.equal((await fetch(`${address}/api/v2/bookings`)).status, 401)
        assert.equal(await kill('SIGTERM'), 0)
      },
      { wrapper, ready: /serves (http:\S+)\/api\/v2[\s\S]*lineAmountIncGst.*\n/ },
    )
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const messages = lines.map((line) => (JSON.parse(line) as Line).msg)
    for (const message of ['service started', 'refresh published', 'request', 'service stopped'])
      assert.ok(messages.includes(message), message)
  })
})
