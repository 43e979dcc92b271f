/** A refresh of a running service that does not end by itself is ended and reported, and does not block the next one. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, loadConfig } from '../../src/config/load-config.ts'
import { lockRefresh } from '../../src/ingest/refresh/refresh-lock.ts'
import { type ProcessOptions, refreshInProcess } from '../../src/ingest/refresh/refresh-process.ts'
import { createRefreshes } from '../../src/ingest/refresh/refreshes.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { endlessMapping, type Folders, makeFolders, refresh } from './ingest-fixture.ts'
import { runTripfolio } from './tripfolio-process.ts'

async function endlessExtract(t: Parameters<typeof makeFolders>[0]): Promise<Folders> {
  const folders = await makeFolders(t)
  await mkdir(folders.data)
  await writeExtract(folders.source, fixtureExtract, 'csv')
  await writeFile(join(folders.source, 'tripfolio.sql'), endlessMapping)
  return folders
}

const configOf = ({ source, data }: Folders, seconds: number): Config =>
  loadConfig({ env: {}, flags: { source, data, refreshTimeLimitSeconds: seconds } })

/** The refresh, and what was observed of it. */
function started(folders: Folders, seconds: number, options: ProcessOptions) {
  const observed: Observation[] = []
  const observe = (fact: Observation) => void observed.push(fact)
  const ended = refreshInProcess(configOf(folders, seconds), folders.source, observe, options)
  ended.catch(() => undefined)
  return { ended, kinds: () => observed.map(({ kind }) => kind) }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const AN_HOUR = 3600

describe('a refresh in a process of its own', () => {
  it('is ended when it takes too long', async (t) => {
    const folders = await endlessExtract(t)
    const { ended, kinds } = started(folders, 1, {})
    await assert.rejects(ended, { code: 'SRV303', message: /was ended because it took longer than 1 s$/ })
    assert.deepEqual(kinds(), ['refresh-started', 'refresh-failed'])
    lockRefresh(folders.data).release()
  })

  it('is killed when it takes too long and hangs', async (t) => {
    const folders = await endlessExtract(t)
    let pid = 0
    const onStart = (started: number | undefined) => {
      pid = started as number
      process.kill(pid, 'SIGSTOP')
    }
    const { ended, kinds } = started(folders, 1, { graceMs: 50, onStart })
    await assert.rejects(ended, { code: 'SRV303' })
    assert.equal(isAlive(pid), false)
    assert.deepEqual(kinds(), ['refresh-started', 'refresh-failed'])
  })

  it('is killed when it is told to stop and hangs; its lock and files are not in the way of the next one', async (t) => {
    const folders = await endlessExtract(t)
    const stopping = new AbortController()
    let pid = 0
    const onStart = (started: number | undefined) => {
      pid = started as number
    }
    const { ended, kinds } = started(folders, AN_HOUR, { signal: stopping.signal, graceMs: 50, onStart })
    while (!existsSync(join(folders.data, 'work', 'refresh.duckdb'))) await sleep(10)
    process.kill(pid, 'SIGSTOP')
    assert.throws(() => lockRefresh(folders.data), { code: 'ING121' })
    stopping.abort()
    await assert.rejects(ended, {
      code: 'SRV304',
      message: /ended without a result: it did not end .* was killed$/,
    })
    assert.deepEqual(kinds(), ['refresh-started', 'refresh-failed'])
    assert.equal(isAlive(pid), false)
    await writeFile(join(folders.source, 'tripfolio.sql'), 'SELECT 1')
    const { snapshot } = await refresh(folders)
    assert.deepEqual((await readdir(folders.data)).sort(), [
      'changes',
      'current',
      'refresh.lock',
      'snapshots',
    ])
    assert.deepEqual(await readdir(join(folders.data, 'snapshots')), [snapshot])
  })

  it('that is refused shows the causes', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await writeFile(join(folders.source, 'clients.csv'), 'client_number,name\nC100,Harbour\nC200,\nC300,\n')
    const { ended, kinds } = started(folders, AN_HOUR, {})
    const cause = '2 x required in name: expected a value, found nothing: .C200. \\(clients.csv, row 2\\)'
    const list = join(folders.data, 'last-refusal', 'rejects.ndjson')
    await assert.rejects(ended, {
      code: 'SRV301',
      message: new RegExp(
        `failed: Table 'clients' has 2 .*\\n +${cause}\\n +All rejects are listed in ${list}`,
      ),
    })
    assert.deepEqual(kinds(), ['refresh-started', 'refresh-refused'])
  })

  it('that is killed by others is reported as failed, not as refused', async (t) => {
    const folders = await endlessExtract(t)
    const onStart = (pid: number | undefined) => void process.kill(pid as number, 'SIGKILL')
    const { ended, kinds } = started(folders, AN_HOUR, { onStart })
    await assert.rejects(ended, { code: 'SRV304', message: /its process was ended by SIGKILL$/ })
    assert.deepEqual(kinds(), ['refresh-started', 'refresh-failed'])
  })
})

describe('tripfolio ingest', () => {
  it('ends itself when it takes too long, and exits with 4', async (t) => {
    const { source, data } = await endlessExtract(t)
    const limit = { TRIPFOLIO_REFRESH_TIME_LIMIT_SECONDS: '1' }
    const { code, stderr } = await runTripfolio(['ingest', '--source', source, '--data', data], limit)
    assert.equal(code, 4)
    assert.match(stderr, /The refresh was ended because it took longer than 1 s/)
    assert.deepEqual((await readdir(data)).sort(), ['last-refusal', 'refresh.lock', 'snapshots'])
    assert.deepEqual(await readdir(join(data, 'snapshots')), [])
  })

  it('is killed when an operation of its database does not end, with a word why', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    const slow = "CREATE TABLE slow AS SELECT levenshtein(repeat('a', 500000), repeat('b', 500000)) AS n;"
    await writeFile(join(source, 'tripfolio.sql'), slow)
    const limit = { TRIPFOLIO_REFRESH_TIME_LIMIT_SECONDS: '1' }
    const { code, stderr } = await runTripfolio(['ingest', '--source', source, '--data', data], limit)
    assert.ok(Number.isNaN(code), 'by SIGKILL')
    assert.match(stderr, /The refresh was ended because it took longer than 1 s/)
    // Its draft, which the next refresh removes.
    assert.ok((await readdir(join(data, 'snapshots'))).every((name) => name.startsWith('.draft-')))
  })
})

describe('the refreshes of a service', () => {
  it('tell of one that took too long that it failed, and start the next one', async (t) => {
    const folders = await endlessExtract(t)
    const refreshes = createRefreshes({
      config: configOf(folders, 1),
      observe: () => undefined,
      published: async () => undefined,
    })
    await refreshes.run('schedule')
    const state = await refreshes.state()
    assert.partialDeepStrictEqual(state, { state: 'failed', requestedBy: 'schedule' })
    assert.match('reason' in state ? state.reason : '', /it took longer than 1 s/)
    assert.equal(await refreshes.start('admin'), 'started')
    refreshes.stop()
  })
})
