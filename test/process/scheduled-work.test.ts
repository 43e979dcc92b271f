/** Nodes that share a store and the snapshots: one of them refreshes on schedule, and another one when that one is gone. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { tryAdvisoryLock } from '../../src/postgres/advisory-locks.ts'
import { openTcpProxy, type TcpProxy } from '../../src/postgres/testing/tcp-proxy.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Installation, type Node, openInstallation } from './nodes.ts'
import { runCommand } from './run-command.ts'

const INGEST_LOCKED = 4

const TAKEN = /scheduled work runs on this node/
const GONE = /scheduled work no longer runs on this node/
const STARTED = /refresh started/
const PUBLISHED = /refresh published/

/** What the output has after the text that matches. */
const since = (output: string, pattern: RegExp): string => {
  const match = pattern.exec(output)
  assert.ok(match, `${pattern} is not in ${output}`)
  return output.slice(match.index + match[0].length)
}

const hasWork = async (node: Node): Promise<boolean> =>
  /^tripfolio_scheduled_work 1$/m.test((await node.call('/metrics')).body)

describe('work that one of several nodes does', () => {
  let folder: string
  let installation: Installation
  let proxy: TcpProxy
  let env: Readonly<Record<'TRIPFOLIO_SOURCE' | 'TRIPFOLIO_SNAPSHOTS' | 'TRIPFOLIO_REFRESH', string>>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tripfolio-scheduled-work-'))
    await writeExtract(join(folder, 'extract'), fixtureExtract, 'csv')
    installation = await openInstallation()
    proxy = await openTcpProxy(installation.database)
    env = {
      TRIPFOLIO_SOURCE: join(folder, 'extract'),
      TRIPFOLIO_SNAPSHOTS: join(folder, 'snapshots'),
      // Often enough to be waited for, and no more: a refresh of every second would cost most of this test.
      TRIPFOLIO_REFRESH: '*/3 * * * * *',
    }
  })
  after(async () => {
    await installation.close()
    await proxy.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('is one refresh at a time: another one is refused on every machine, and names the process that runs', async () => {
    const lock = await tryAdvisoryLock(installation.database, 'refresh')
    const settings = { ...env, TRIPFOLIO_STORE: installation.database }
    const { TRIPFOLIO_REFRESH: _, TRIPFOLIO_SOURCE: source, ...shared } = settings
    const ingest = (data = 'other') =>
      runCommand(['ingest', '--source', source, '--data', join(folder, data)], shared)
    const refused = await ingest()
    assert.equal(refused.code, INGEST_LOCKED)
    assert.match(
      refused.stderr,
      new RegExp(`Another refresh of .*snapshots' is running \\(process .*:${process.pid}\\)`),
    )
    await lock?.release()
    const both = await Promise.all([ingest(), ingest('another')])
    const codes = both.map(({ code }) => code).sort()
    assert.ok(codes[0] === 0 && [0, INGEST_LOCKED].includes(codes[1] as number), JSON.stringify(both))
  })

  it('moves when the node that refreshes on schedule is killed, and when the next one loses the database', async () => {
    const first = await installation.startProcess({ env })
    await first.until(TAKEN)
    await first.until(PUBLISHED)
    const throughProxy = { ...env, TRIPFOLIO_STORE: proxy.url }
    const second = await installation.startNode({ env: throughProxy })
    assert.deepEqual([await hasWork(first), await hasWork(second)], [true, false])

    const killed = performance.now()
    await first.kill('SIGKILL')
    assert.doesNotMatch(second.output(), STARTED)
    await second.until(TAKEN)
    assert.ok(performance.now() - killed < 10_000)
    assert.equal(await hasWork(second), true)
    await second.until(PUBLISHED)
    assert.match(since(second.output(), TAKEN), STARTED)

    const third = await installation.startNode({ env })
    assert.equal(await hasWork(third), false)
    assert.doesNotMatch(third.output(), STARTED)
    await proxy.refuse()
    await Promise.all([second.until(GONE), third.until(TAKEN)])
    await third.until(PUBLISHED)
    // It ends its work when the lock is gone, and begins none before it has the lock again.
    assert.doesNotMatch(since(second.output(), GONE), STARTED)

    await proxy.restore()
    assert.deepEqual([await hasWork(second), await hasWork(third)], [false, true])
    await third.close()
    assert.match(third.output(), /scheduled work may run on another node/)
    await second.until(new RegExp(`${GONE.source}[^]*${TAKEN.source}`))
  })
})
