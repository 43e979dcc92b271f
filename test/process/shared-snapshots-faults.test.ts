/** A node whose storage of shared snapshots fails: clients that are loaded are answered, others are refused for the moment. */
import assert from 'node:assert/strict'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { storageAway } from '../../src/snapshot/objects/problems.ts'
import type { ReadIndex } from '../../src/snapshot/objects/snapshot-index.ts'
import { type Fault, type S3Server, takeS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { locatorOf } from '../../src/snapshot/testing/data-folder.ts'
import { openInstallation } from './shared-installation.ts'

let s3: S3Server
before(async () => {
  s3 = await takeS3()
})
after(async () => {
  // Every test has closed its stores: a connection that is still open is a leak, and this waits for ever.
  while (s3.connections() > 0) await new Promise(setImmediate)
  await s3.stop()
})

const open = (t: TestContext) => openInstallation(t, () => s3.location())

const FAILS: Fault = { kind: 'status', status: 500 }

/** Answers of the storage break; uploads and lists do not. */
const breakReads = (fault: Fault): void => {
  s3.breaks = ({ method }) => (method === 'GET' ? fault : null)
}
const mend = (): void => {
  s3.breaks = () => null
}

/** A node that has loaded one client, and not the other. */
async function loadedNode(t: TestContext) {
  const shared = await open(t)
  await shared.publish({ LOADED: 'L1', COLD: 'C1' })
  const node = await shared.node()
  assert.equal(await locatorOf(node.catalogue, 'LOADED'), 'L1')
  return node
}

/** A node that has loaded a client, and the manifest of a newer snapshot in which the client has changed. */
async function outdatedNode(t: TestContext) {
  const shared = await open(t)
  await shared.publish({ A: 'A1' })
  const [{ catalogue }, other] = [await shared.node(), await shared.node()]
  await locatorOf(catalogue, 'A')
  await shared.publish({ A: 'A2' })
  const manifest = await other.catalogue.refresh()
  assert.ok(manifest)
  return { catalogue, manifest }
}

/** The files of the cache of a node. */
async function cacheFiles(data: string): Promise<readonly string[]> {
  const entries = await readdir(join(data, 'snapshot-cache'), { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}

const faults: Readonly<Record<string, Fault>> = {
  'answers with 500': { kind: 'status', status: 500 },
  'asks to slow down': { kind: 'status', status: 503 },
  'cuts answers off': { kind: 'truncated' },
  'sends other bytes': { kind: 'altered' },
}

describe('a node whose storage', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`${name} answers the clients that are loaded, refuses the others, and recovers`, async (t) => {
      const { catalogue, seen } = await loadedNode(t)
      breakReads(fault)
      assert.equal(await locatorOf(catalogue, 'LOADED'), 'L1')
      await assert.rejects(locatorOf(catalogue, 'COLD'), { code: 'SNP311', kind: 'unavailable' })
      assert.deepEqual(
        seen.filter(({ kind }) => kind === 'snapshot-damaged'),
        [],
        'a storage that fails is no damage',
      )
      mend()
      assert.equal(await locatorOf(catalogue, 'COLD'), 'C1')
    })
  }

  it('refuses connections answers the clients that are loaded, refuses the others, and recovers', async (t) => {
    const { catalogue } = await loadedNode(t)
    await s3.refuse()
    assert.equal(await locatorOf(catalogue, 'LOADED'), 'L1')
    await assert.rejects(locatorOf(catalogue, 'COLD'), { code: 'SNP311' })
    await s3.restore()
    assert.equal(await locatorOf(catalogue, 'COLD'), 'C1')
  })

  it('is slow waits for it', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { catalogue } = await shared.node()
    s3.breaks = () => ({ kind: 'slow', milliseconds: 200 })
    assert.equal(await locatorOf(catalogue, 'A'), 'A1')
    mend()
  })

  it('fails stays on its snapshot when a newer one cannot be loaded, and switches later', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { catalogue } = await shared.node()
    await locatorOf(catalogue, 'A')
    await shared.publish({ A: 'A2' })
    breakReads(FAILS)
    await assert.rejects(catalogue.refresh(), { code: 'SNP401' })
    assert.equal(await locatorOf(catalogue, 'A'), 'A1')
    mend()
    const manifest = await catalogue.refresh()
    assert.ok(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'A2')
  })

  it('fails while it prepares the clients in use is not switched', async (t) => {
    const { catalogue, manifest } = await outdatedNode(t)
    breakReads(FAILS)
    await assert.rejects(catalogue.prepare(manifest, { mostBytes: 1e9 }), { code: 'SNP311' })
    mend()
    await catalogue.prepare(manifest, { mostBytes: 1e9, mostMs: 10_000 })
    const before = s3.requests.length
    catalogue.announce(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'A2')
    assert.equal(s3.requests.length, before, 'it was loaded before')
  })

  it('hangs is switched to the newer snapshot all the same when the time for preparing is over', async (t) => {
    const { catalogue, manifest } = await outdatedNode(t)
    s3.breaks = () => ({ kind: 'slow', milliseconds: 1000 })
    await catalogue.prepare(manifest, { mostBytes: 1e9, mostMs: 10 })
    catalogue.announce(manifest)
    mend()
    assert.equal(await locatorOf(catalogue, 'A'), 'A2')
  })

  it('refuses refreshes says so, and the current snapshot stays', async (t) => {
    const shared = await open(t)
    const { id } = await shared.publish({ A: 'A1' })
    s3.breaks = ({ method }) => (method === 'PUT' ? FAILS : null)
    await assert.rejects(shared.publish({ A: 'A2' }), { code: 'SNP401' })
    await s3.refuse()
    await assert.rejects(shared.publish({ A: 'A2' }), { code: 'SNP401' })
    await s3.restore()
    mend()
    assert.equal((await shared.control.snapshots.current())?.id, id)
    await shared.publish({ A: 'A3' })
    await shared.destination(-1).removeOldSnapshots(1)
    assert.equal((await shared.keys()).length, 5)
  })

  it('has removed its snapshot, which it does not know yet, answers from the current one, and reports no damage', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { catalogue, seen } = await shared.node()
    await shared.publish({ A: 'A2' })
    await shared.publish({ A: 'A3' })
    await shared.destination(-1).removeOldSnapshots(1)
    assert.equal(await locatorOf(catalogue, 'A'), 'A3')
    assert.deepEqual(
      seen.filter(({ kind }) => kind === 'snapshot-damaged'),
      [],
    )
  })

  it('lacks an object refuses its client while the control store is away, which alone knows whether that is damage', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { snapshots } = shared.control
    let isAway = false
    const index: ReadIndex = {
      current: () => snapshots.current(),
      list: () => snapshots.list(),
      find: (id) => (isAway ? Promise.reject(storageAway('test', 'it is away')) : snapshots.find(id)),
    }
    const { catalogue, seen } = await shared.node({ index })
    await shared.delete(await shared.keys())
    isAway = true
    await assert.rejects(locatorOf(catalogue, 'A'), { code: 'SNP311', kind: 'unavailable' })
    const damages = () => seen.filter(({ kind }) => kind === 'snapshot-damaged').length
    assert.equal(damages(), 0)
    isAway = false
    await assert.rejects(locatorOf(catalogue, 'A'), { code: 'SNP302' })
    assert.equal(damages(), 1)
  })

  it('lost an object answers from the snapshot before, as with a damaged file', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const before = await shared.keys()
    await shared.publish({ A: 'A2' })
    const { catalogue, seen } = await shared.node()
    // All but the manifest, which the node has read.
    await shared.delete((await shared.keys()).filter((key) => !before.includes(key)))
    assert.equal(await locatorOf(catalogue, 'A'), 'A1')
    assert.ok(seen.some(({ kind }) => kind === 'snapshot-damaged'))
  })
})

describe('the cache of a node', () => {
  it('serves a restarted node while the storage is away', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1', B: 'B1' })
    const { data, catalogue } = await shared.node()
    await locatorOf(catalogue, 'A')
    await s3.refuse()
    const again = await shared.node({ data })
    assert.equal(await locatorOf(again.catalogue, 'A'), 'A1')
    await assert.rejects(locatorOf(again.catalogue, 'B'), { code: 'SNP311' })
    await s3.restore()
    assert.equal(await locatorOf(again.catalogue, 'B'), 'B1')
  })

  it('fetches again what is truncated, altered or removed', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { data, catalogue } = await shared.node()
    await locatorOf(catalogue, 'A')
    const harms: readonly ((path: string) => Promise<void>)[] = [
      (path) => truncate(path, 10),
      (path) => writeFile(path, 'something else'),
      (path) => rm(path),
    ]
    for (const harm of harms) {
      for (const path of await cacheFiles(data)) await harm(path)
      const again = await shared.node({ data })
      assert.equal(await locatorOf(again.catalogue, 'A'), 'A1')
    }
  })

  it('leaves a folder that cannot be written alone', async (t) => {
    const shared = await open(t)
    await shared.publish({ A: 'A1' })
    const { data } = await shared.node()
    await rm(join(data, 'snapshot-cache'), { recursive: true })
    await writeFile(join(data, 'snapshot-cache'), 'a file where the folder should be')
    const { catalogue, seen } = await shared.node({ data })
    assert.equal(await locatorOf(catalogue, 'A'), 'A1')
    assert.equal(seen.filter(({ kind }) => kind === 'snapshot-cache-not-written').length, 1)
  })
})
