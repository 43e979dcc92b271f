/** What becomes of those who are connected when the service is told to stop: a process, and sockets byte by byte. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { LARGE_BOOKINGS, largeExtract } from './large-extract.ts'
import { get, RawCaller } from './raw-caller.ts'
import { whileServing } from './tripfolio-process.ts'

let root: string
let data: string
let source: string
let apiKey: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-stopping-'))
  data = join(root, 'data')
  source = join(root, 'extract')
  await publishExtract({ source, data }, largeExtract())
  apiKey = await createAccount(data, harbour, 'stopping')
})
after(() => rm(root, { recursive: true, force: true }))

const everything = '/api/v2/bookings'
const page = (number: number) =>
  `/api/v2/bookings?$pageSize=10&$page=${1 + (number % (LARGE_BOOKINGS / 10))}&$filter=recordLocator%20ne%20'${number}'`

/** An export of which the reader takes the head and then nothing. */
async function stoppedExport(address: string): Promise<RawCaller> {
  const caller = new RawCaller(address).send(get(everything, apiKey))
  await new Promise((resolve) => caller.socket.once('data', resolve))
  return caller.stop()
}

/** Requests wait for their turn for as long as the machine takes: which of them are shed is tested elsewhere. */
const patient = {
  TRIPFOLIO_ACCOUNT_QUEUE: '1000',
  TRIPFOLIO_ACCOUNT_QUEUE_MILLISECONDS: '60000',
  TRIPFOLIO_LOAD_SHEDDING_DELAY_MILLISECONDS: '0',
}

describe('a service that is told to stop while it is busy', () => {
  it('answers whatever arrived whole, waits for nothing else, and exits with 0, with several threads', () =>
    whileServing(
      data,
      async ({ address, kill, output }) => {
        const idle = [new RawCaller(address), new RawCaller(address).send(get('/livez'))]
        await idle[1]?.answered()
        const halfSent = [
          new RawCaller(address).send('GET /livez HT'),
          new RawCaller(address).send(
            `POST /api/v2/service-accounts/me/rotate-api-key HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n` +
              'Content-Length: 1000\r\n\r\nx',
          ),
        ]
        const exporting = await Promise.all([stoppedExport(address), stoppedExport(address)])
        // Their connections are open, so that the requests are there before the signal is.
        const single = await Promise.all(
          Array.from({ length: 200 }, async () => {
            const caller = new RawCaller(address)
            await new Promise((resolve) => caller.socket.once('connect', resolve))
            return caller
          }),
        )
        for (const [i, caller] of single.entries()) caller.send(get(page(i), apiKey))
        const pipelined = new RawCaller(address).send(
          [1, 2, 3, 4, 5].map((number) => get(page(1000 + number), apiKey)).join(''),
        )
        await new Promise((resolve) => pipelined.socket.once('connect', resolve))
        const exit = kill('SIGTERM')
        for (const caller of single) {
          const [answer, ...more] = await caller.answered()
          assert.deepEqual([answer?.status, more.length], [200, 0])
          assert.equal(JSON.parse(answer?.body ?? '').count, 10)
        }
        assert.deepEqual(
          (await pipelined.answered(5)).map(({ status }) => status),
          [200, 200, 200, 200, 200],
        )
        for (const caller of exporting) {
          const [answer] = await caller.goOn().answered()
          assert.ok(JSON.parse(answer?.body ?? '').count > LARGE_BOOKINGS)
        }
        await Promise.all([...idle, ...halfSent].map(({ closed }) => closed))
        assert.equal(await exit, 0)
        assert.deepEqual(complaints(output()), [])
      },
      { args: ['--threads', '2'], env: patient },
    ))

  it('tells callers who come again that this answer ends the connection, and load balancers to go elsewhere', () =>
    whileServing(
      data,
      async ({ address, kill }) => {
        const again = new RawCaller(address).send(get('/livez'))
        const [before] = await again.answered()
        assert.equal(before?.headers.get('connection'), 'keep-alive')
        const balancer = new RawCaller(address).send(get('/readyz'))
        assert.deepEqual(
          (await balancer.answered()).map(({ status }) => status),
          [200],
        )
        const exit = kill('SIGTERM')
        // Every answer from some moment on, and no request is left without one.
        const answers = await untilClosed(address)
        again.send(get(page(1), apiKey))
        const [, last] = await again.answered(2)
        assert.deepEqual([last?.status, last?.headers.get('connection')], [200, 'close'])
        assert.equal(answers.at(-1)?.status, 503)
        assert.equal(await exit, 0)
      },
      { env: { TRIPFOLIO_DRAIN_MILLISECONDS: '3000' } },
    ))

  it('says what it cuts off at the end of its time, and exits with 3', () =>
    whileServing(
      data,
      async ({ address, kill, output }) => {
        const exporting = await stoppedExport(address)
        assert.equal(await kill('SIGTERM'), 3)
        assert.match(output(), /"level":"error".*"requests":1,"seconds":1,.*stopSeconds/)
        assert.match(
          output(),
          /"level":"warn".*"reason":"SIGTERM",.*"requestsCutOff":1,.*"msg":"service stopped"/,
        )
        assert.equal(complaints(output()).length, 1)
        exporting.goOn()
        await exporting.closed
        assert.deepEqual(exporting.answers, [])
      },
      { env: { TRIPFOLIO_STOP_SECONDS: '1' } },
    ))

  it('stops at once when it is told a second time', () =>
    whileServing(data, async ({ address, kill }) => {
      await stoppedExport(address)
      const first = kill('SIGTERM')
      while ((await readiness(address)) === 200);
      await kill('SIGTERM')
      assert.equal(await first, 3)
    }))

  it('ends in good order when its terminal has gone', () =>
    whileServing(data, async ({ kill, output }) => {
      assert.equal(await kill('SIGHUP'), 0)
      assert.match(output(), /"reason":"SIGHUP".*"msg":"service stopped"/)
    }))

  it('lives on when its terminal has gone, if it was started under nohup', () =>
    whileServing(
      data,
      async ({ address, pid, kill, output }) => {
        process.kill(pid, 'SIGHUP')
        for (let i = 0; i < 3; i++) assert.equal(await readiness(address), 200)
        assert.equal(await kill('SIGTERM'), 0)
        assert.doesNotMatch(output(), /SIGHUP/)
      },
      { wrapper: ['sh', '-c', 'trap "" HUP; exec "$@"', 'sh'] },
    ))

  it('ends a refresh that is running, publishes nothing, and exits with 0', () =>
    whileServing(
      data,
      async ({ until, kill, output }) => {
        await until(/refresh started/)
        assert.equal(await kill('SIGTERM'), 0)
        assert.deepEqual(complaints(output()), [])
        assert.doesNotMatch(output(), /refresh published/)
      },
      { args: ['--source', source, '--refresh', '* * * * * *'] },
    ))
})

/** Lines that tell of something that should not be. */
const complaints = (output: string) =>
  output.split('\n').filter((line) => /"level":"(?:error|fatal)"|destroyed|Error/.test(line))

async function readiness(address: string): Promise<number | undefined> {
  const [answer] = await new RawCaller(address)
    .send(get('/readyz').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    .answered()
  return answer?.status
}

/** Asks on one connection after the other until it is told to go elsewhere. */
async function untilClosed(address: string) {
  for (;;) {
    const answers = await new RawCaller(address).send(get('/readyz')).answered()
    if (answers.at(-1)?.headers.get('connection') === 'close') return answers
  }
}
