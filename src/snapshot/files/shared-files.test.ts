import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Observation } from '../../observe/observation.ts'
import { snapshotFolder } from '../format/layout.ts'
import type { CollectionFile } from './collection-files.ts'
import { openLruClock } from './lru-clock.ts'
import { SharedFiles } from './shared-files.ts'

const snapshot = '20260102T030405678Z-1f3a'
const fileBytes = 1000

let data: string
let seen: Observation[]

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'tripfolio-files-'))
    seen = []
  })
  afterEach(() => rm(data, { recursive: true, force: true }))
}

const openFiles = (budget?: number) => new SharedFiles(data, (o) => seen.push(o), budget)

async function written(clientNumber: string, bytes = fileBytes): Promise<CollectionFile> {
  const content = clientNumber.repeat(bytes / clientNumber.length)
  const path = `${clientNumber}/bookings.arrow`
  const target = join(snapshotFolder(data, snapshot), path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const entry = { path, bytes, sha256, rows: 1, elements: 0 }
  return { snapshot, clientNumber, stored: 'bookings', entry }
}

const loads = () => seen.flatMap((o) => (o.kind === 'partition-loaded' ? [o.clientNumber] : []))

function held(): { count: number; bytes: number } {
  const last = seen.findLast((o) => o.kind === 'partitions-held')
  return last?.kind === 'partitions-held' ? { count: last.count, bytes: last.bytes } : { count: 0, bytes: 0 }
}

describe('files that several catalogues share', () => {
  prepareEachTest()

  it('are loaded once, and all see the same memory', async () => {
    const a = await written('A')
    const files = openFiles()
    const catalogues = [files.open(() => undefined), files.open(() => undefined)]
    const loaded = await Promise.all([...catalogues, ...catalogues].map((catalogue) => catalogue.load(a)))
    assert.deepEqual(loads(), ['A'])
    assert.equal(new Set(loaded.map(({ bytes }) => bytes.buffer)).size, 1)
    assert.ok(loaded[0]?.bytes.buffer instanceof SharedArrayBuffer)
    assert.deepEqual(held(), { count: 1, bytes: fileBytes })
  })

  it('are evicted by all of them when memory is short, the least recently used one first', async () => {
    const files = openFiles(2 * fileBytes)
    const evicted: string[][] = [[], []]
    const [one, other] = evicted.map((dropped) => files.open((sha256) => dropped.push(sha256)))
    assert.ok(one && other)
    const [a, b, c] = [await written('A'), await written('B'), await written('C')]
    const { place } = await one.load(a)
    await one.load(b)
    await other.load(b)
    // Noted in the shared memory, as another thread would do it.
    openLruClock(files.lruClock.memory).note(place)
    await other.load(c)
    assert.deepEqual(evicted, [[b.entry.sha256], [b.entry.sha256]])
    assert.deepEqual(held(), { count: 2, bytes: 2 * fileBytes })
    await one.load(b)
    assert.deepEqual(loads(), ['A', 'B', 'C', 'B'])
  })

  it('stay in memory as long as one of them keeps them', async () => {
    const [a, b] = [await written('A'), await written('B')]
    const files = openFiles()
    const [one, other] = [files.open(() => undefined), files.open(() => undefined)]
    await Promise.all([one.load(a), other.load(a), other.load(b)])
    one.keepOnly([])
    assert.equal(held().count, 2)
    other.keepOnly([b.entry.sha256])
    assert.equal(held().count, 1)
    other.leave()
    assert.deepEqual(held(), { count: 0, bytes: 0 })
  })

  it('are loaded once each, even when there is not room for all files that are requested at once', async () => {
    const wanted = [await written('A'), await written('B'), await written('C')]
    const files = openFiles(fileBytes).open(() => undefined)
    await Promise.all(Array.from({ length: 60 }, (_, i) => files.load(wanted[i % 3] as CollectionFile)))
    assert.deepEqual(loads().sort(), ['A', 'B', 'C'])
    assert.deepEqual(held(), { count: 1, bytes: fileBytes }, 'the excess is evicted afterwards')
  })

  it('release their memory when they are evicted', async () => {
    const size = 2 * 2 ** 20
    const all: CollectionFile[] = []
    for (let i = 0; i < 100; i++) all.push(await written(String(1000 + i), size))
    const files = openFiles(2 * size).open(() => undefined)
    const before = process.memoryUsage.rss()
    const inMemory = () => (process.memoryUsage.rss() - before) / size
    // The collector takes its time. Without noteSharedGarbage it would not free any of the 200 MiB of each round.
    let rounds = 0
    do for (const file of all) await files.load(file)
    while (inMemory() >= 60 && ++rounds < 5)
    assert.ok(inMemory() < 60, `${inMemory()} files are still in memory`)
    assert.deepEqual(held(), { count: 2, bytes: 2 * size })
  })

  it('are gone, and not damaged, when their snapshot has been removed', async () => {
    const a = await written('A')
    await rm(snapshotFolder(data, snapshot), { recursive: true })
    await assert.rejects(
      openFiles()
        .open(() => undefined)
        .load(a),
      /ENOENT/,
    )
    assert.ok(seen.every(({ kind }) => kind !== 'snapshot-damaged'))
  })

  it('are reported once when one of them alone exceeds the budget, and are then held one at a time', async () => {
    const [a, b] = [await written('A'), await written('B')]
    const files = openFiles(fileBytes - 1).open(() => undefined)
    for (const file of [a, b, a]) await files.load(file)
    assert.deepEqual(
      seen.flatMap((o) => (o.kind === 'budget-exceeded' ? [[o.clientNumber, o.bytes, o.budget]] : [])),
      [
        ['A', fileBytes, fileBytes - 1],
        ['B', fileBytes, fileBytes - 1],
      ],
    )
    assert.deepEqual(loads(), ['A', 'B', 'A'])
    assert.equal(held().count, 1)
  })

  it('are reported as damaged once, and tried again by the next request', async () => {
    const a = await written('A')
    const damaged = { ...a, entry: { ...a.entry, sha256: '0'.repeat(64) } }
    const files = openFiles()
    const [one, other] = [files.open(() => undefined), files.open(() => undefined)]
    await assert.rejects(one.load(damaged), /checksum/)
    await assert.rejects(other.load(damaged), /checksum/)
    assert.equal(seen.filter(({ kind }) => kind === 'snapshot-damaged').length, 1)
    assert.deepEqual(held(), { count: 0, bytes: 0 })
    await one.load(a)
    assert.deepEqual(loads(), ['A'])
  })
})

function replaced(): number {
  const last = seen.findLast((o) => o.kind === 'partitions-held')
  return last?.kind === 'partitions-held' ? last.replacedBytes : 0
}

const patient = { stalledFor: () => 0, cutOff: () => assert.fail('No reader had to be cut off') }

describe('files that answers are being read from', () => {
  prepareEachTest()

  it('stay within the budget when they are replaced: others are evicted for them', async () => {
    const files = openFiles(3 * fileBytes)
    const evicted: string[] = []
    const catalogue = files.open((sha256) => evicted.push(sha256))
    const [a, b, c, d] = [await written('A'), await written('B'), await written('C'), await written('D')]
    const release = catalogue.hold(await catalogue.load(a), patient)
    catalogue.keepOnly([])
    assert.deepEqual([held().count, replaced()], [0, fileBytes])
    for (const file of [b, c, d]) await catalogue.load(file)
    assert.deepEqual(evicted, [b.entry.sha256])
    assert.deepEqual([held().count, replaced()], [2, fileBytes])
    release()
    assert.deepEqual([held().count, replaced()], [2, 0])
    await catalogue.load(b)
    assert.equal(held().count, 3)
  })

  it('are not evicted while others can be: that would free nothing', async () => {
    const files = openFiles(2 * fileBytes)
    const evicted: string[] = []
    const catalogue = files.open((sha256) => evicted.push(sha256))
    const [a, b, c] = [await written('A'), await written('B'), await written('C')]
    const releases = [1, 2].map(() => catalogue.load(a).then((copy) => catalogue.hold(copy, patient)))
    const [first, second] = await Promise.all(releases)
    await catalogue.load(b)
    await catalogue.load(c)
    assert.deepEqual(evicted, [b.entry.sha256])
    first?.()
    first?.()
    await catalogue.load(b)
    assert.deepEqual(evicted, [b.entry.sha256, c.entry.sha256])
    second?.()
    await catalogue.load(c)
    assert.deepEqual(evicted, [b.entry.sha256, c.entry.sha256, a.entry.sha256])
    assert.equal(replaced(), 0)
  })

  it('are counted as the copy that is read from, when another copy has been loaded instead', async () => {
    const files = openFiles()
    const catalogue = files.open(() => undefined)
    const a = await written('A')
    const release = catalogue.hold(await catalogue.load(a), patient)
    catalogue.keepOnly([])
    const releaseOther = catalogue.hold(await catalogue.load(a), patient)
    assert.deepEqual([held().count, replaced()], [1, fileBytes])
    releaseOther()
    assert.deepEqual([held().count, replaced()], [1, fileBytes])
    release()
    assert.deepEqual([held().count, replaced()], [1, 0])
  })

  it('are freed when the thread that read from them has ended', async () => {
    const files = openFiles()
    const [one, other] = [files.open(() => undefined), files.open(() => undefined)]
    const a = await written('A')
    for (const catalogue of [one, other]) catalogue.hold(await catalogue.load(a), patient)
    one.keepOnly([])
    one.leave()
    other.keepOnly([])
    assert.equal(replaced(), fileBytes)
    other.leave()
    assert.equal(replaced(), 0)
  })

  it('lose their readers when they alone exceed the budget, beginning with those that have stalled longest', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const files = openFiles(2 * fileBytes)
    const catalogue = files.open(() => undefined)
    const cut: string[] = []
    const stalled = { A: 9000, B: 20_000, C: 0 }
    const releases: Record<string, () => void> = {}
    for (const name of ['A', 'B', 'C'] as const) {
      const reader = {
        stalledFor: () => stalled[name],
        cutOff: () => {
          cut.push(name)
          releases[name]?.()
        },
      }
      releases[name] = catalogue.hold(await catalogue.load(await written(name)), reader)
    }
    catalogue.keepOnly([])
    assert.deepEqual([replaced(), cut], [3 * fileBytes, []])
    t.mock.timers.tick(1000)
    assert.deepEqual(cut, [])
    t.mock.timers.tick(1000)
    assert.deepEqual(cut, ['B'])
    // Now there is room, and no other reader is cut off.
    for (let i = 0; i < 10; i++) t.mock.timers.tick(1000)
    assert.deepEqual([replaced(), cut], [2 * fileBytes, ['B']])
    // Other files must be loaded again and again: so A is cut off, and C, which keeps reading, stays.
    for (let i = 0; i < 10; i++) {
      await catalogue.load(await written('D'))
      t.mock.timers.tick(1000)
    }
    assert.deepEqual([replaced(), cut], [fileBytes, ['B', 'A']])
  })
})
