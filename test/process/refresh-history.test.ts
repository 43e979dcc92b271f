/** What is recorded of refreshes by a service and by commands, also of those that are refused or whose process is killed. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { lockRefresh } from '../../src/ingest/refresh/refresh-lock.ts'
import { createRefreshes, type Refreshes } from '../../src/ingest/refresh/refreshes.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { endlessMapping, type Folders, makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServing } from './tripfolio-process.ts'

type Test = Parameters<typeof makeFolders>[0]

type Opened = Folders & { readonly store: ControlStore; readonly refreshes: Refreshes }

const silent = () => undefined

/** A data folder with its store, and what refreshes in a service. */
async function open(t: Test): Promise<Opened> {
  const folders = await makeFolders(t)
  await mkdir(folders.data)
  await writeExtract(folders.source, fixtureExtract, 'csv')
  const store = await openControlStore(folders.data)
  t.after(() => store.close())
  return { ...folders, store, refreshes: serviceOf(folders, store) }
}

const serviceOf = ({ source, data }: Folders, store: ControlStore): Refreshes =>
  createRefreshes({
    config: loadConfig({ env: {}, flags: { source, data } }),
    observe: silent,
    history: store.refreshes,
    published: async () => undefined,
  })

const ingest = ({ source, data }: Folders) => runCommand(['ingest', '--data', data, '--source', source])

/** Clients without names: a reject each, and the rest goes with them. */
const spoil = ({ source }: Folders) =>
  writeFile(join(source, 'clients.csv'), 'client_number,name\nC100,Harbour\nC200,\nC300,\n')

const endless = ({ source }: Folders) => writeFile(join(source, 'tripfolio.sql'), endlessMapping)

function isUnlocked(data: string): boolean {
  try {
    lockRefresh(data).release()
    return true
  } catch {
    return false
  }
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20)
}

describe('a refresh by a service', () => {
  it('is recorded with stages, sizes and rows, and as unchanged when no record differs', async (t) => {
    const { store, refreshes } = await open(t)
    await refreshes.run('schedule')
    const record = await store.refreshes.last()
    assert.ok(record !== null)
    const { outcome, origin, requestedBy, stages, tables, clients, reasons, progress } = record
    assert.deepEqual([outcome, origin, requestedBy], ['published', 'service', 'schedule'])
    assert.deepEqual([reasons, progress], [[], null])
    assert.deepEqual(
      stages.map(({ stage }) => stage),
      ['read', 'validate', 'build', 'publish'],
    )
    assert.deepEqual(clients, {
      total: fixtureExtract.clients.length,
      changed: fixtureExtract.clients.length,
      unchanged: 0,
    })
    const bookings = tables.find(({ table }) => table === 'bookings')
    assert.equal(bookings?.rows, fixtureExtract.bookings.length)
    assert.equal(
      record.rows,
      tables.reduce((sum, { rows }) => sum + rows, 0),
    )
    assert.ok((record.sourceBytes ?? 0) > 0 && (record.snapshotBytes ?? 0) > 0)
    const state = await refreshes.state()
    assert.equal(state.state === 'published' && state.snapshot, record.snapshotId)
    await refreshes.run('user:ann@example.com')
    const again = await store.refreshes.last()
    assert.deepEqual([again?.outcome, again?.clients?.changed], ['unchanged', 0])
    assert.notEqual(again?.snapshotId, record.snapshotId)
  })

  it('that is refused has the reasons of the command as data, and is known after a restart', async (t) => {
    const opened = await open(t)
    await spoil(opened)
    await opened.refreshes.run('schedule')
    const byService = await opened.store.refreshes.last()
    const { code, stderr } = await ingest(opened)
    const byCommand = await opened.store.refreshes.last()
    assert.notEqual(code, 0)
    assert.ok(byService !== null && byCommand !== null)
    assert.deepEqual([byService.outcome, byService.origin], ['refused', 'service'])
    assert.deepEqual([byCommand.outcome, byCommand.origin], ['refused', 'command'])
    assert.deepEqual(byService.reasons, byCommand.reasons)
    const [reason] = byService.reasons
    assert.deepEqual(reason?.code, 'ING110')
    assert.deepEqual(reason?.figures, { table: 'clients', rejects: 2, rows: 3, allowedShare: 0.05 })
    assert.deepEqual(byService.rejectsByRule.find(({ table }) => table === 'clients')?.count, 2)
    // What the command prints is the same content, with a layout for terminals.
    const printed = stderr
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/^tripfolio: /, ''))
    const texts = byService.reasons.flatMap(({ message, hint, causes }) => [
      message,
      ...causes.map(({ count, rule }) => `${count} x ${rule}`),
      hint ?? '',
    ])
    for (const line of printed)
      assert.ok(
        texts.some((text) => line.startsWith(text)),
        line,
      )
    for (const { message } of byService.reasons) assert.ok(!message.includes('\n'))
    const restarted = await serviceOf(opened, opened.store).state()
    assert.deepEqual(restarted.state === 'refused' && restarted.reasons, byCommand.reasons)
    const running = await opened.refreshes.state()
    assert.deepEqual(running.state === 'refused' && running.reasons, byService.reasons)
  })

  it('shows its progress while it runs, and is recorded as cancelled when the service stops', async (t) => {
    const opened = await open(t)
    await endless(opened)
    const done = opened.refreshes.run('schedule')
    await until(async () => (await opened.store.refreshes.current())?.progress?.stage === 'read')
    const current = await opened.store.refreshes.current()
    assert.ok((current?.progress?.tables?.expected ?? 0) > 0)
    await opened.refreshes.stop()
    await done
    const record = await opened.store.refreshes.last()
    assert.deepEqual([record?.outcome, record?.reasons[0]?.code], ['cancelled', 'SRV304'])
    assert.equal(record?.progress?.stage, 'read')
  })

  it('that dies with its service is recorded as lost at the next start', async (t) => {
    const { source, data, store } = await open(t)
    await endless({ source, data })
    const args = ['--source', source]
    // It refreshes before it says that it serves.
    await whileServing(
      data,
      async ({ kill }) => {
        await until(() => existsSync(join(data, 'work', 'refresh.duckdb')))
        await until(async () => (await store.refreshes.current()) !== null)
        await kill('SIGKILL')
      },
      { args, ready: /"service started"|service started|serv/ },
    )
    // Its process ends by itself when the service is gone, and records nothing.
    await until(() => isUnlocked(data))
    await writeFile(join(source, 'tripfolio.sql'), 'SELECT 1')
    const [lost] = await store.refreshes.list()
    await whileServing(
      data,
      async () => {
        const record = await store.refreshes.find(lost?.id as string)
        assert.deepEqual([record.outcome, record.reasons[0]?.code], ['lost', 'DIR491'])
        assert.deepEqual(
          (await store.refreshes.list()).map(({ outcome }) => outcome),
          ['published', 'lost'],
        )
      },
      { args },
    )
  })
})

describe('tripfolio ingest', () => {
  it('is recorded where there is a store, and makes none', async (t) => {
    const opened = await open(t)
    assert.equal((await ingest(opened)).code, 0)
    const record = await opened.store.refreshes.last()
    assert.deepEqual([record?.outcome, record?.origin], ['published', 'command'])
    assert.match(record?.requestedBy ?? '', /^operator:/)
    const empty = { ...opened, data: join(opened.data, 'other') }
    assert.equal((await ingest(empty)).code, 0)
    assert.equal(existsSync(join(empty.data, 'control.db')), false)
  })
})

describe('tripfolio refresh history', () => {
  it('lists refreshes, newest first, and shows one', async (t) => {
    const opened = await open(t)
    await opened.refreshes.run('schedule')
    await spoil(opened)
    await opened.refreshes.run('user:ann@example.com')
    const history = (...args: string[]) => runCommand(['refresh', 'history', ...args, '--data', opened.data])
    const { code, stdout } = await history()
    assert.equal(code, 0)
    const lines = stdout.split('\n')
    assert.match(lines[0] ?? '', /^started +by +outcome +seconds +rows +rejects +snapshot +reason +id$/)
    assert.match(lines[1] ?? '', /user:ann@example.com +refused .* ING110 /)
    assert.match(lines[2] ?? '', / schedule +published /)
    const kept = await opened.store.refreshes.list()
    const [newest] = kept
    assert.deepEqual(JSON.parse((await history('--json')).stdout), kept)
    const one = await history(newest?.id ?? '')
    assert.match(one.stdout, /^Refresh of .* by user:ann@example.com on .*: refused, after [\d.]+ s\n/)
    assert.match(one.stdout, /\nING110: Table 'clients' has 2 rejected of 3 rows/)
    assert.match(one.stdout, /\nclients +required +name +2 +clients.csv, row 2\n/)
    const missing = await history('nothing', '--json')
    assert.equal(JSON.parse(missing.stderr).error.code, 'DIR490')
  })
})
