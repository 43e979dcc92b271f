/**
 * A refresh killed at any moment does no harm: what was current stays readable, and the next refresh needs no help. Two
 * refreshes at once are one too many.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { lockRefresh } from '../../src/ingest/refresh/refresh-lock.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from '../../src/snapshot/format/layout.ts'
import { filesOf, readManifest } from '../../src/snapshot/manifest.ts'
import { verifyFile } from '../../src/snapshot/verify.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, publishedRecords, refresh } from './ingest-fixture.ts'

/** A refresh in a process of its own, which says on standard output how far it is. */
function refreshElsewhere({ source, data }: Folders): ChildProcess {
  const code = `
    import { runRefresh } from ${JSON.stringify(new URL('../../src/ingest/cycle.ts', import.meta.url).href)}
    import { writeSync } from 'node:fs'
    const [source, dataFolder] = process.argv.slice(1)
    await runRefresh({ source, dataFolder, maxRejectShare: 0.05, retainSnapshots: 3, databaseThreads: 1,
      observe: () => undefined,
      onProgress: ({ stage, done }) => writeSync(1, stage + ' ' + done + '\\n') })`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code, source, data]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Kills the refresh as soon as it has said so many lines. */
async function killedAfter(folders: Folders, lines: number): Promise<void> {
  const child = refreshElsewhere(folders)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let heard = 0
  for await (const _ of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (++heard === lines) child.kill('SIGKILL')
  }
  await ended
}

async function assertIntact(folders: Folders): Promise<void> {
  const id = await readCurrentId(folders.data)
  assert.ok(id)
  const folder = snapshotFolder(folders.data, id)
  const files = (await readManifest(folder)).clients.flatMap(filesOf)
  assert.equal(files.length, 12)
  for (const file of files) assert.equal(await verifyFile(join(folder, file.path), file), null)
  assert.equal((await publishedRecords(folders.data, harbour, 'bookings')).length, 8)
}

describe('a refresh that is killed', () => {
  let said = 0
  before(async () => {
    const folders = await makeFolders({ after })
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const child = refreshElsewhere(folders)
    for await (const _ of createInterface({ input: child.stdout as NodeJS.ReadableStream })) said++
  })

  it('at any of its steps leaves an intact snapshot, and the next refresh works and cleans up', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    assert.ok(said > 20)
    // One line is drawn. The last two lines stand around publishing: between them lies the moment that matters most.
    const every = Array.from({ length: said }, (_, at) => at + 1)
    for (const lines of repeated([1 + (campaignSeed % (said - 4)), said - 3, said - 1, said], every)) {
      t.diagnostic(`killed after ${lines} lines`)
      await killedAfter(folders, lines)
      await assertIntact(folders)
    }
    const { snapshot } = await refresh(folders)
    assert.equal(await readCurrentId(folders.data), snapshot)
    assert.deepEqual((await readdir(folders.data)).sort(), [
      'changes',
      'current',
      'refresh.lock',
      'snapshots',
    ])
    assert.deepEqual(
      (await readdir(join(folders.data, 'snapshots'))).sort(),
      (await listSnapshotIds(folders.data)).sort(),
    )
    await assertIntact(folders)
  })

  it('as the very first one leaves no snapshot, and the next refresh works', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await killedAfter(folders, said - 3)
    assert.equal(await readCurrentId(folders.data), undefined)
    await refresh(folders)
    await assertIntact(folders)
  })
})

describe('a second refresh at the same time', () => {
  it('in the same process is refused', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const first = refresh(folders)
    await assert.rejects(refresh(folders), {
      code: 'ING121',
      message: new RegExp(`Another refresh of '.*' is running \\(process ${process.pid}\\)`),
    })
    await first
    await refresh(folders)
  })

  it('in another process is refused, and allowed as soon as the first one is dead', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    const child = holdLockElsewhere(folders)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    await assert.rejects(refresh(folders), { code: 'ING121', message: new RegExp(`process ${child.pid}`) })
    child.kill('SIGKILL')
    await ended
    await refresh(folders)
  })

  it('of another data folder is not disturbed', async (t) => {
    const one = await makeFolders(t)
    const other = await makeFolders(t)
    await writeExtract(other.source, fixtureExtract, 'csv')
    await publishExtract(one, fixtureExtract)
    const lock = lockRefresh(one.data)
    await refresh(other).finally(lock.release)
  })
})

function holdLockElsewhere({ data }: Folders): ChildProcess {
  const code = `
    import { lockRefresh } from ${JSON.stringify(new URL('../../src/ingest/refresh/refresh-lock.ts', import.meta.url).href)}
    const lock = lockRefresh(process.argv[1])
    process.stdout.write('locked')
    setInterval(() => lock, 1000)`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code, data]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}
