import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { spend } from '../automation/testing/definitions.ts'
import { loadConfig } from '../config/load-config.ts'
import { historyPath, openControlStore } from '../directory/open-stores.ts'
import { portToShare } from '../http/connections/listen.ts'
import { startService } from './start-service.ts'

const host = '127.0.0.1'
let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-service-'))
})
after(() => rm(root, { recursive: true }))

const configOf = (flags: Readonly<Record<string, unknown>>) =>
  loadConfig({ env: {}, flags: { logLevel: 'silent', scriptThreads: 1, ...flags } })

/** SQLite removes its companion files when the last connection to a store is closed. */
const openFiles = async (data: string) => (await readdir(data)).filter((name) => /-(?:wal|shm)$/.test(name))

async function listening(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

describe('startService', () => {
  for (const threads of [1, 2]) {
    it(`releases the port and the stores when it is closed (threads: ${threads})`, async () => {
      const data = join(root, `closed-${threads}`)
      const service = await startService(configOf({ data, threads, port: 0 }))
      assert.equal((await fetch(`${service.address}/livez`)).status, 200)
      assert.notDeepEqual(await openFiles(data), [])
      assert.deepEqual(await service.close(), { requestsCutOff: 0 })
      assert.deepEqual(await openFiles(data), [])
      const port = Number(new URL(service.address).port)
      const again = await portToShare({ host, port })
      assert.equal(again?.port, port)
      again?.release()
    })
  }

  it('starts the threads for scripts when an endpoint can be called, and no thread otherwise', async () => {
    const data = join(root, 'scripts')
    const startedThreads = async () => {
      let threads = 0
      const count = () => void threads++
      process.on('worker', count)
      const service = await startService(configOf({ data, threads: 1, port: 0, scriptThreads: 2 }))
      await service.close()
      process.off('worker', count)
      return threads
    }
    assert.equal(await startedThreads(), 0)
    const { endpoints, close } = await openControlStore(data)
    const { id } = await endpoints.create(spend, 'test')
    assert.equal(await startedThreads(), 0)
    await endpoints.publish(id, 'test')
    assert.equal(await startedThreads(), 2)
    await close()
  })

  it('warns when another service runs on its data folder', async () => {
    const data = join(root, 'shared')
    let written = ''
    const config = configOf({ data, threads: 1, port: 0, logLevel: 'warn' })
    const start = () => startService(config, { write: (line) => (written += line) })
    const first = await start()
    assert.equal(written, '')
    const second = await start()
    assert.match(written, /another service runs on this data folder, which is not supported/)
    await second.close()
    await first.close()
  })

  it('lets commands seal secrets under its key only, and says when another key has sealed them', async () => {
    const data = join(root, 'keys')
    const [mine, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const logOf = async (key: Buffer) => {
      let written = ''
      const config = configOf({
        data,
        threads: 1,
        port: 0,
        logLevel: 'error',
        secretKey: key.toString('hex'),
      })
      const log = { write: (lines: string) => void (written += lines) }
      await (await startService(config, log)).close()
      return written
    }
    assert.equal(await logOf(mine), '')
    const wrong = await openControlStore(data, { secretKey: () => other })
    await assert.rejects(wrong.secrets.set('Payment', { value: 'v' }, 'operator:test'), { code: 'DIR462' })
    await wrong.close()
    const right = await openControlStore(data, { secretKey: () => mine })
    await right.secrets.set('Payment', { value: 'v' }, 'operator:test')
    await right.close()
    assert.match(await logOf(other), /'Payment'.*another key.*scripts cannot read secrets/)
    assert.equal(await logOf(mine), '')
  })

  it('closes the stores when the port is taken', async () => {
    const data = join(root, 'taken')
    const other = await listening()
    const starting = startService(configOf({ data, threads: 1, port: other.port }))
    await assert.rejects(starting, { code: 'SRV111' })
    await other.close()
    assert.deepEqual(await openFiles(data), [])
  })

  it('releases the port and closes what it has opened when a later store cannot be opened', async () => {
    const data = join(root, 'newer')
    const first = await startService(configOf({ data, threads: 1, port: 0 }))
    await first.close()
    const history = new DatabaseSync(historyPath(data))
    history.exec("insert into kysely_migration values ('9999-of-a-newer-version', '2099-01-01')")
    history.close()
    const { port, close } = await listening()
    await close()
    await assert.rejects(startService(configOf({ data, threads: 2, port })), { code: /^DIR/ })
    assert.deepEqual(await openFiles(data), [])
    const again = await portToShare({ host, port })
    assert.equal(again?.port, port)
    again?.release()
  })
})
