import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { RecordBatchFileReader } from 'apache-arrow'
import type { Observation } from '../observe/observation.ts'
import { type StoredName, storedNames } from '../schema/datasets.ts'
import type { FieldValue } from '../schema/field.ts'
import { SharedFiles } from './files/shared-files.ts'
import { CollectionBuilder } from './format/collection-builder.ts'
import { currentFile, draftFolder, snapshotFolder, snapshotsFolder } from './format/layout.ts'
import { candidates } from './intact-manifest.ts'
import { readManifest, serializeManifest } from './manifest.ts'
import type { TextColumn } from './partition.ts'
import type { Snapshot } from './snapshot.ts'
import { SnapshotCatalogue } from './snapshot-catalogue.ts'
import { beginSnapshot, removeOldSnapshots } from './writing/snapshot-writer.ts'

let data: string
let seen: Observation[]

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'tripfolio-snapshot-'))
  seen = []
})
afterEach(() => rm(data, { recursive: true, force: true }))

/** Publishes a snapshot in which each client has one booking with the given locator in both versions, and no invoices. */
async function publish(locators: Record<string, string>): Promise<{ id: string; kept: number }> {
  const draft = await beginSnapshot(data)
  let kept = 0
  for (const [clientNumber, locator] of Object.entries(locators)) {
    for (const stored of storedNames) {
      const builder = new CollectionBuilder(stored, clientNumber, [])
      const values = bookingValues[stored]?.(clientNumber, locator)
      if (values !== undefined) builder.append({ values, custom: [], elements: [], lists: noLists })
      if ((await draft.add(builder)).kept) kept++
    }
  }
  const clients = Object.keys(locators).map((clientNumber) => ({ clientNumber, name: clientNumber }))
  const { id } = await draft.publish({ extractedAt: new Date('2026-01-02T03:04:05Z'), clients, rejects: 0 })
  return { id, kept }
}

const noLists = { travellers: '[]', segments: '[]', lineItems: '[]', payments: '[]' }

const bookingValues: {
  readonly [Name in StoredName]?: (clientNumber: string, locator: string) => readonly FieldValue[]
} = {
  bookings: (clientNumber, locator) => [clientNumber, locator, 'Agency', 0, 0, true, false, 0, 0],
  'bookings-v1': (clientNumber, locator) => [
    ...[locator, 'Agency', clientNumber, 0, 0, true, false],
    ...new Array<null>(9).fill(null),
    ...[0, 0, 0],
    ...new Array<null>(5).fill(null),
  ],
}

async function open(memoryBudget?: number): Promise<SnapshotCatalogue> {
  const observe = (observation: Observation) => seen.push(observation)
  const files = new SharedFiles(data, observe, memoryBudget)
  const catalogue = new SnapshotCatalogue(data, observe, files.open)
  await catalogue.refresh()
  return catalogue
}

async function locatorOf(
  catalogue: SnapshotCatalogue,
  clientNumber: string,
  stored: StoredName = 'bookings',
): Promise<string | undefined> {
  const loaded = await catalogue.current()?.partition(clientNumber, stored)
  const partition = loaded?.partition
  const column = partition?.columns.get('recordLocator') as TextColumn
  return partition?.rowCount === 0 ? undefined : column.dictionary.text(column.codes[0] as number)
}

const bookingsFile = async (id: string, clientNumber: string, stored: StoredName = 'bookings') => {
  const { clients } = await readManifest(snapshotFolder(data, id))
  const path = clients.find((client) => client.clientNumber === clientNumber)?.[stored].path as string
  return join(snapshotFolder(data, id), path)
}

/** As if it had been published under another id. */
async function renameSnapshot(from: string, to: string): Promise<void> {
  const manifest = await readManifest(snapshotFolder(data, from))
  await rename(snapshotFolder(data, from), snapshotFolder(data, to))
  await writeFile(join(snapshotFolder(data, to), 'manifest.json'), serializeManifest({ ...manifest, id: to }))
}

/** Changes one byte in the middle, keeping the size. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 0xff
  await writeFile(path, bytes)
}

describe('publishing a snapshot', () => {
  it('makes it current and leaves no draft behind', async () => {
    const { id } = await publish({ A: 'AAA111' })
    assert.equal((await readFile(currentFile(data), 'utf8')).trim(), id)
    assert.deepEqual(await readdir(snapshotsFolder(data)), [id])
    const catalogue = await open()
    assert.equal(catalogue.current()?.id, id)
    assert.equal(catalogue.current()?.extractedAt.toISOString(), '2026-01-02T03:04:05.000Z')
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
  })

  it('links the files of unchanged clients', async () => {
    const first = await publish({ A: 'AAA111', B: 'BBB111' })
    const second = await publish({ A: 'AAA111', B: 'BBB222' })
    // All but the bookings of B, in both versions.
    assert.equal(second.kept, 2 * storedNames.length - 2)
    const inode = async (id: string, client: string) => (await stat(await bookingsFile(id, client))).ino
    assert.equal(await inode(first.id, 'A'), await inode(second.id, 'A'))
    assert.notEqual(await inode(first.id, 'B'), await inode(second.id, 'B'))
  })

  it('writes a file anew when the previous one is damaged', async () => {
    const first = await publish({ A: 'AAA111' })
    await damage(await bookingsFile(first.id, 'A'))
    const second = await publish({ A: 'AAA111' })
    assert.equal(second.kept, storedNames.length - 1)
    assert.equal(await locatorOf(await open(), 'A'), 'AAA111')
  })

  it('keeps clients apart whose numbers differ in case or hold odd characters', async () => {
    await publish({ a: 'LOWER1', A: 'UPPER1', '../x': 'DOTS11', 'ü/': 'UMLAUT' })
    const catalogue = await open()
    assert.equal(await locatorOf(catalogue, 'a'), 'LOWER1')
    assert.equal(await locatorOf(catalogue, 'A'), 'UPPER1')
    assert.equal(await locatorOf(catalogue, '../x'), 'DOTS11')
    assert.equal(await locatorOf(catalogue, 'ü/'), 'UMLAUT')
  })

  it('keeps clients apart whose numbers hold no safe character and have hashes that begin alike', async () => {
    const [one, other] = ['丟专丈丁', '一丕一丂'] as const
    const hashes = [one, other].map((text) => createHash('sha256').update(text).digest('hex').slice(0, 8))
    assert.equal(hashes[0], hashes[1])
    await publish({ [one]: 'AAA111', [other]: 'BBB222' })
    const catalogue = await open()
    assert.deepEqual(
      [await locatorOf(catalogue, one), await locatorOf(catalogue, other)],
      ['AAA111', 'BBB222'],
    )
  })

  it('leaves the current snapshot alone when the draft is abandoned', async () => {
    const { id } = await publish({ A: 'AAA111' })
    const draft = await beginSnapshot(data)
    await draft.add(new CollectionBuilder('bookings', 'A', []))
    await draft.abandon()
    assert.deepEqual(await readdir(snapshotsFolder(data)), [id])
    assert.equal((await open()).current()?.id, id)
  })

  it('knows the counts of the previous snapshot', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const draft = await beginSnapshot(data)
    assert.deepEqual(draft.previous?.counts, { bookings: 2, invoices: 0, segments: 0, lineItems: 0 })
    await draft.abandon()
  })

  it('knows them from the newest intact snapshot when the current one is damaged or unknown', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const second = await publish({ A: 'AAA111' })
    await writeFile(currentFile(data), 'garbage')
    const unknown = await beginSnapshot(data)
    assert.equal(unknown.previous?.id, second.id)
    await unknown.abandon()
    await damage(join(snapshotFolder(data, second.id), 'manifest.json'))
    const damaged = await beginSnapshot(data)
    assert.equal(damaged.previous?.counts.bookings, 2)
    await damaged.abandon()
  })

  it('gives it an id after all others, even when the clock was ahead before', async () => {
    const { id } = await publish({ A: 'AAA111' })
    const ahead = id.replace(/^..../, '2999')
    await rename(snapshotFolder(data, id), snapshotFolder(data, ahead))
    const next = await publish({ A: 'AAA222' })
    assert.ok(next.id > ahead)
    await removeOldSnapshots(data, 1)
    assert.deepEqual(await readdir(snapshotsFolder(data)), [next.id])
  })

  it('removes drafts of processes that are gone', async () => {
    await publish({ A: 'AAA111' })
    const dead = draftFolder(data, '20260101T000000000Z-0000').replace(String(process.pid), '999999999')
    await (await import('node:fs/promises')).mkdir(dead)
    await publish({ A: 'AAA111' })
    assert.ok((await readdir(snapshotsFolder(data))).every((name) => !name.startsWith('.draft')))
  })

  it('refuses a data folder that cannot be one', async () => {
    const file = join(data, 'file')
    await writeFile(file, '')
    await assert.rejects(beginSnapshot(file), { code: 'SNP201' })
  })

  it('retains the newest snapshots and always the current one', async () => {
    const ids = []
    for (const locator of ['AAA111', 'AAA222', 'AAA333']) ids.push((await publish({ A: locator })).id)
    await removeOldSnapshots(data, 2)
    assert.deepEqual(await readdir(snapshotsFolder(data)), ids.slice(1))
    await writeFile(currentFile(data), `${ids[1]}\n`)
    await removeOldSnapshots(data, 1)
    assert.deepEqual(await readdir(snapshotsFolder(data)), ids.slice(1))
  })
})

describe('a published file', () => {
  it('opens in any Arrow library with the names of the API', async () => {
    const { id } = await publish({ A: 'AAA111' })
    const reader = RecordBatchFileReader.from(await readFile(await bookingsFile(id, 'A')))
    const [row] = [...reader].flatMap((batch) => batch.toArray().map((record) => record.toJSON()))
    assert.equal(row?.recordLocator, 'AAA111')
    assert.equal(JSON.parse(row?.json).recordLocator, 'AAA111')
  })
})

describe('the catalogue', () => {
  it('has no snapshot in an empty data folder', async () => {
    assert.equal((await open()).current(), null)
  })

  it('announces a newer snapshot and keeps the unchanged partitions loaded', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await open()
    const before = catalogue.current()
    const partitionOf = async (snapshot: Snapshot | null | undefined, client: string) =>
      (await snapshot?.partition(client, 'bookings'))?.partition
    const a = await partitionOf(before, 'A')
    const b = await partitionOf(before, 'B')
    const { id } = await publish({ A: 'AAA111', B: 'BBB222' })
    await catalogue.refresh()
    assert.equal(catalogue.current()?.id, id)
    assert.equal(await partitionOf(catalogue.current(), 'A'), a)
    assert.notEqual(await partitionOf(catalogue.current(), 'B'), b)
    assert.equal(await partitionOf(before, 'A'), a, 'a request on the old snapshot finishes on it')
  })

  it('has what is in use loaded before a newer snapshot is announced, and nothing else', async () => {
    await publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const catalogue = await open()
    await locatorOf(catalogue, 'A')
    await locatorOf(catalogue, 'B')
    const { id } = await publish({ A: 'AAA222', B: 'BBB111', C: 'CCC222' })
    const manifest = await readManifest(snapshotFolder(data, id))
    const loaded = () =>
      seen.flatMap((o) => (o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : []))
    seen.length = 0
    await catalogue.prepare(manifest, 10)
    assert.deepEqual(loaded(), [], 'no more than it may')
    await catalogue.prepare(manifest, 1e6)
    assert.deepEqual(loaded(), ['A bookings'])
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111', 'it is not announced yet')
    catalogue.announce(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    assert.deepEqual(loaded(), ['A bookings'])
  })

  it('is prepared for a newer snapshot as far as its files are intact', async () => {
    await publish({ A: 'AAA111' })
    const catalogue = await open()
    await locatorOf(catalogue, 'A')
    const second = await publish({ A: 'AAA222' })
    await damage(await bookingsFile(second.id, 'A'))
    const manifest = await readManifest(snapshotFolder(data, second.id))
    await catalogue.prepare(manifest, 1e6)
    catalogue.announce(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111', 'answered from the older file')
  })

  it('loads a client once however many requests wait for it', async () => {
    await publish({ A: 'AAA111' })
    const catalogue = await open()
    const loads = Array.from({ length: 20 }, () => catalogue.current()?.partition('A', 'bookings'))
    assert.equal(new Set((await Promise.all(loads)).map((loaded) => loaded?.partition)).size, 1)
    assert.equal(seen.filter(({ kind }) => kind === 'partition-loaded').length, 1)
  })

  it('gives an unknown client an empty partition', async () => {
    await publish({ A: 'AAA111' })
    const loaded = await (await open()).current()?.partition('nobody', 'invoices')
    assert.equal(loaded?.partition.rowCount, 0)
  })

  it('serves the newest older snapshot when the manifest of the current one is damaged', async () => {
    const first = await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    await damage(join(snapshotFolder(data, second.id), 'manifest.json'))
    const catalogue = await open()
    assert.equal(catalogue.current()?.id, first.id)
    assert.ok(seen.some((o) => o.kind === 'snapshot-damaged' && o.snapshot === second.id))
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`serves the newest older snapshot when a file of the current one is truncated or missing (${stored})`, async () => {
      const first = await publish({ A: 'AAA111' })
      const second = await publish({ A: 'AAA222' })
      await truncate(await bookingsFile(second.id, 'A', stored), 100)
      assert.equal((await open()).current()?.id, first.id)
      await rm(await bookingsFile(second.id, 'A', stored))
      assert.equal((await open()).current()?.id, first.id)
    })
  }

  it('serves the newest older snapshot when a file of the current one has grown', async () => {
    const first = await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    await appendFile(await bookingsFile(second.id, 'A'), '\n')
    assert.equal((await open()).current()?.id, first.id)
    assert.ok(seen.some((o) => o.kind === 'snapshot-damaged' && /bytes instead of/.test(o.reason)))
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`serves a client from the older snapshot when its file turns out damaged (${stored})`, async () => {
      const first = await publish({ A: 'AAA111', B: 'BBB111' })
      const second = await publish({ A: 'AAA222', B: 'BBB222' })
      await damage(await bookingsFile(second.id, 'A', stored))
      const catalogue = await open()
      assert.equal(catalogue.current()?.id, second.id)
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA111')
      assert.equal(await locatorOf(catalogue, 'B', stored), 'BBB222')
      const originOf = async (client: string) =>
        (await catalogue.current()?.partition(client, stored))?.snapshotId
      assert.deepEqual([await originOf('A'), await originOf('B')], [first.id, second.id])
      assert.ok(seen.some((o) => o.kind === 'snapshot-damaged' && /checksum/.test(o.reason)))
      // The other files of the client are as new as ever.
      const other = stored === 'bookings' ? 'bookings-v1' : 'bookings'
      assert.equal(await locatorOf(catalogue, 'A', other), 'AAA222')
    })
  }

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`goes back to the new data when a refresh has replaced the damaged file (${stored})`, async () => {
      await publish({ A: 'AAA111' })
      const second = await publish({ A: 'AAA222' })
      await damage(await bookingsFile(second.id, 'A', stored))
      const catalogue = await open()
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA111')
      await publish({ A: 'AAA222' })
      await catalogue.refresh()
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA222')
    })
  }

  it('reports a damaged snapshot once, however often it looks', async () => {
    await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    await damage(join(snapshotFolder(data, second.id), 'manifest.json'))
    const catalogue = await open()
    await catalogue.refresh()
    await catalogue.refresh()
    assert.equal(seen.filter(({ kind }) => kind === 'snapshot-damaged').length, 1)
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`refuses when no intact file of the client is left (${stored})`, async () => {
      const { id } = await publish({ A: 'AAA111' })
      await damage(await bookingsFile(id, 'A', stored))
      await assert.rejects(locatorOf(await open(), 'A', stored), { code: 'SNP302' })
    })
  }

  describe('with a damaged file', () => {
    /** How often each file is asked for, by checksum. */
    let loads: Map<string, number>
    async function openCounting(): Promise<SnapshotCatalogue> {
      loads = new Map()
      const observe = (observation: Observation) => seen.push(observation)
      const files = new SharedFiles(data, observe)
      const catalogue = new SnapshotCatalogue(data, observe, (evict) => {
        const opened = files.open(evict)
        return {
          ...opened,
          load: (file) => {
            loads.set(file.entry.sha256, (loads.get(file.entry.sha256) ?? 0) + 1)
            return opened.load(file)
          },
        }
      })
      await catalogue.refresh()
      return catalogue
    }
    const checksum = async (id: string) =>
      (await readManifest(snapshotFolder(data, id))).clients[0]?.bookings.sha256 as string

    it('does not read it again under another link, nor for every request', async () => {
      const first = await publish({ A: 'AAA111' })
      await publish({ A: 'AAA222' })
      const third = await publish({ A: 'AAA222' })
      await damage(await bookingsFile(third.id, 'A'))
      const catalogue = await openCounting()
      for (let asked = 0; asked < 3; asked++) assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
      assert.equal(loads.get(await checksum(third.id)), 1)
      assert.equal(loads.get(await checksum(first.id)), 1)
    })

    it('reads it again for the next request when there is no other, and serves it once it is mended', async () => {
      const { id } = await publish({ A: 'AAA111' })
      const path = await bookingsFile(id, 'A')
      const whole = await readFile(path)
      await damage(path)
      const catalogue = await openCounting()
      for (const times of [1, 2]) {
        await assert.rejects(locatorOf(catalogue, 'A'), { code: 'SNP302' })
        assert.equal(loads.get(await checksum(id)), times)
      }
      await writeFile(path, whole)
      assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
    })

    it('looks for it in every retained snapshot, and never in a newer one before an older one', async () => {
      const ids: string[] = []
      for (const locator of ['AAA111', 'AAA222', 'AAA333', 'AAA444'])
        ids.push((await publish({ A: locator })).id)
      const catalogue = await openCounting()
      for (const at of [3, 2]) await damage(await bookingsFile(ids[at] as string, 'A'))
      assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    })
  })

  it('takes no folder that holds a copy of another snapshot', async () => {
    const first = await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    const copied = second.id.replace(/^\d{4}/, '2999')
    await rename(snapshotFolder(data, second.id), snapshotFolder(data, copied))
    await writeFile(currentFile(data), `${copied}\n`)
    assert.equal((await open()).current()?.id, first.id)
    assert.ok(
      seen.some((o) => o.kind === 'snapshot-damaged' && o.reason.includes(`of snapshot ${second.id}`)),
    )
  })

  it('ignores a current file that names no snapshot', async () => {
    const { id } = await publish({ A: 'AAA111' })
    await writeFile(currentFile(data), '../../etc\n')
    assert.equal((await open()).current()?.id, id)
  })

  it('skips a snapshot of another format, which is no damage, and still knows how much there was', async () => {
    const first = await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    const path = join(snapshotFolder(data, second.id), 'manifest.json')
    const json = (await readFile(path, 'utf8')).replace(/^.*\n/, '').replace(/"format": \d+/, '"format": 1')
    await writeFile(path, `${createHash('sha256').update(json).digest('hex')}\n${json}`)
    assert.equal((await open()).current()?.id, first.id)
    assert.deepEqual(
      seen.flatMap((o) => (o.kind === 'snapshot-skipped' ? [o.snapshot] : [])),
      [second.id],
    )
    assert.ok(seen.every(({ kind }) => kind !== 'snapshot-damaged'))
    await assert.rejects(readManifest(snapshotFolder(data, second.id)), { code: 'SNP304' })
    await rm(snapshotFolder(data, first.id), { recursive: true })
    const draft = await beginSnapshot(data)
    assert.equal(draft.previous, null)
    assert.equal(draft.bookingsBefore, 1)
    await draft.abandon()
  })
})

describe('the order in which snapshots are tried', () => {
  const table: readonly [title: string, wanted: string | undefined, ids: string[], expected: string[]][] = [
    ['the wanted one, then older ones from new to old', '3', ['3', '2', '1'], ['3', '2', '1']],
    ['those that a clock ahead has left come last', '2', ['9', '8', '2', '1'], ['2', '1', '9', '8']],
    ['also when the wanted one is gone', '2', ['9', '1'], ['2', '1', '9']],
    ['from new to old when none is wanted', undefined, ['3', '2', '1'], ['3', '2', '1']],
    ['only the wanted one when there is no other', '1', [], ['1']],
  ]
  for (const [title, wanted, ids, expected] of table) {
    it(`is: ${title}`, () => assert.deepEqual(candidates(wanted, ids), expected))
  }

  it('serves the older one and not that of a clock ahead when the current one is damaged', async () => {
    const older = await publish({ A: 'AAA111' })
    const ahead = await publish({ A: 'AHEAD1' })
    await renameSnapshot(ahead.id, ahead.id.replace(/^\d{4}/, '2999'))
    await writeFile(currentFile(data), `${older.id}\n`)
    const catalogue = await open()
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
    await rm(snapshotFolder(data, older.id), { recursive: true })
    assert.equal(await locatorOf(await open(), 'A'), 'AHEAD1', 'better than nothing')
  })

  it('gives a snapshot that is made after one of a clock ahead a newer id still', async () => {
    const first = await publish({ A: 'AAA111' })
    const ahead = first.id.replace(/^\d{4}/, '2999')
    await renameSnapshot(first.id, ahead)
    const second = await publish({ A: 'AAA222' })
    assert.ok(second.id > ahead)
    await removeOldSnapshots(data, 1)
    assert.equal(await locatorOf(await open(), 'A'), 'AAA222')
  })
})

describe('a retained snapshot', () => {
  const locatorIn = async (snapshot: Snapshot, clientNumber: string) => {
    const { partition } = await snapshot.partition(clientNumber, 'bookings')
    const column = partition.columns.get('recordLocator') as TextColumn
    return column.dictionary.text(column.codes[0] as number)
  }

  it('answers what it held when it was current, beside the current one', async () => {
    const first = await publish({ A: 'AAA111', B: 'BBB111' })
    const second = await publish({ A: 'AAA222', B: 'BBB111' })
    const catalogue = await open()
    const pinned = await catalogue.retained(first.id)
    assert.equal(pinned.id, first.id)
    assert.equal(await locatorIn(pinned, 'A'), 'AAA111')
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    assert.equal(await locatorIn(await catalogue.retained(second.id), 'A'), 'AAA222')
    assert.equal(await catalogue.retained(first.id), pinned)
    // A file that both snapshots share is loaded once.
    await locatorOf(catalogue, 'B')
    seen.length = 0
    assert.equal(await locatorIn(pinned, 'B'), 'BBB111')
    assert.ok(seen.every(({ kind }) => kind !== 'partition-loaded'))
  })

  it('loads a client once however many requests wait for it', async () => {
    const first = await publish({ A: 'AAA111' })
    await publish({ A: 'AAA222' })
    const pinned = await (await open()).retained(first.id)
    await Promise.all(Array.from({ length: 10 }, () => pinned.partition('A', 'bookings')))
    assert.equal(seen.filter(({ kind }) => kind === 'partition-loaded').length, 1)
  })

  it('is gone when it was removed, never was, is damaged, or is no id at all', async () => {
    const first = await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    await publish({ A: 'AAA333' })
    await rm(snapshotFolder(data, first.id), { recursive: true })
    await damage(join(snapshotFolder(data, second.id), 'manifest.json'))
    const catalogue = await open()
    const ids = [first.id, second.id, '20200101T000000000Z-0000', '../..', '', 'x'.repeat(10_000)]
    for (const id of ids) await assert.rejects(catalogue.retained(id), { code: 'SNP305' })
  })

  it('is gone where its file is damaged, rather than answered by another snapshot', async () => {
    await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    await damage(await bookingsFile(second.id, 'A'))
    const catalogue = await open()
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
    const pinned = await catalogue.retained(second.id)
    await assert.rejects(pinned.partition('A', 'bookings'), { code: 'SNP305' })
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
  })

  it('is looked for again after a new one was announced', async () => {
    const first = await publish({ A: 'AAA111' })
    const catalogue = await open()
    assert.equal((await catalogue.retained(first.id)).id, first.id)
    await publish({ A: 'AAA222' })
    await removeOldSnapshots(data, 1)
    await catalogue.refresh()
    await assert.rejects(catalogue.retained(first.id), { code: 'SNP305' })
  })
})

describe('a pinned snapshot', () => {
  const locatorIn = async (snapshot: Snapshot | null, clientNumber: string) => {
    const { partition, snapshotId } = (await snapshot?.partition(clientNumber, 'bookings')) ?? {}
    const column = partition?.columns.get('recordLocator') as TextColumn
    assert.equal(snapshotId, snapshot?.id)
    return column.dictionary.text(column.codes[0] as number)
  }

  it('answers what was current when it was taken, also for clients that nobody has asked for before', async () => {
    const catalogue = await open()
    assert.equal(catalogue.pinned(), null)
    await publish({ A: 'AAA111', B: 'BBB111' })
    await catalogue.refresh()
    const pinned = catalogue.pinned()
    assert.equal(await locatorIn(pinned, 'A'), 'AAA111')
    const { id } = await publish({ A: 'AAA222', B: 'BBB222' })
    await catalogue.refresh()
    for (const client of ['A', 'B']) assert.equal(await locatorIn(pinned, client), `${client.repeat(3)}111`)
    assert.equal(catalogue.pinned()?.id, id)
    assert.equal(await locatorIn(catalogue.pinned(), 'B'), 'BBB222')
  })

  it('is answered from the same file of a later one when it was removed, and from no other', async () => {
    const first = await publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const catalogue = await open()
    const pinned = catalogue.pinned()
    assert.equal(await locatorIn(pinned, 'A'), 'AAA111')
    await publish({ A: 'AAA222', B: 'BBB111', C: 'CCC222' })
    await catalogue.refresh()
    await removeOldSnapshots(data, 1)
    assert.equal((await readdir(snapshotsFolder(data))).includes(first.id), false)
    assert.equal(await locatorIn(pinned, 'B'), 'BBB111')
    for (const client of ['A', 'C']) {
      await assert.rejects(locatorIn(pinned, client), { code: 'SNP306' })
    }
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
  })

  it('is not answered from an older one in place of a damaged file once another is current', async () => {
    await publish({ A: 'AAA111' })
    const second = await publish({ A: 'AAA222' })
    const catalogue = await open()
    const pinned = catalogue.pinned()
    await damage(await bookingsFile(second.id, 'A'))
    await publish({ A: 'AAA333' })
    await catalogue.refresh()
    await assert.rejects(locatorIn(pinned, 'A'), { code: 'SNP306' })
  })
})

describe('the memory budget', () => {
  const loads = () =>
    seen.flatMap((o) => (o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : []))
  const held = () => seen.findLast((o) => o.kind === 'partitions-held')

  it('lets go of the client that was not asked for longest, and loads it again when it is', async () => {
    const { id } = await publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const [client] = (await readManifest(snapshotFolder(data, id))).clients
    const bytes = client?.bookings.bytes ?? 0
    const catalogue = await open(2 * bytes + 1000)
    for (const client of ['A', 'B', 'A', 'C', 'A', 'B']) {
      assert.equal(await locatorOf(catalogue, client), `${client.repeat(3)}111`)
    }
    assert.deepEqual(loads(), ['A bookings', 'B bookings', 'C bookings', 'B bookings'])
    const now = held()
    assert.equal(now?.kind === 'partitions-held' && now.count, 2)
    assert.ok(now?.kind === 'partitions-held' && now.bytes <= 2 * bytes + 1000)
  })

  it('keeps a client that alone is larger', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await open(10)
    for (const client of ['A', 'A', 'B', 'B', 'A']) await locatorOf(catalogue, client)
    assert.deepEqual(loads(), ['A bookings', 'B bookings', 'A bookings'])
  })

  it('takes nothing from a request that has begun', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await open(10)
    const begun = await catalogue.current()?.partition('A', 'bookings')
    await locatorOf(catalogue, 'B')
    const column = begun?.partition.columns.get('recordLocator') as TextColumn
    assert.equal(column.dictionary.text(column.codes[0] as number), 'AAA111')
  })

  it('holds for retained snapshots too, however many of their clients are opened at once', async () => {
    const first = await publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    await publish({ A: 'AAA222' })
    const pinned = await (await open(10)).retained(first.id)
    const openAll = () => Promise.all(['A', 'B', 'C'].map((client) => pinned.partition(client, 'bookings')))
    await openAll()
    await openAll()
    // At most one of them was still there.
    assert.ok(loads().length >= 5, `${loads()}`)
  })

  it('does no harm beside a client without an intact file', async () => {
    const { id } = await publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    await damage(await bookingsFile(id, 'A'))
    const catalogue = await open(10)
    const asked = ['A', 'B', 'A', 'C', 'A', 'B'].map((client) => locatorOf(catalogue, client))
    const settled = await Promise.allSettled(asked)
    // A rejection that nobody handles would end the process.
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    )
    await assert.rejects(locatorOf(catalogue, 'A'), { code: 'SNP302' })
    assert.equal(await locatorOf(catalogue, 'C'), 'CCC111')
  })

  it('is not spent on an earlier snapshot for longer than its requests take', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await open()
    const before = catalogue.current()
    await publish({ A: 'AAA222', B: 'BBB111' })
    await catalogue.refresh()
    const late = await before?.partition('A', 'bookings')
    const column = late?.partition.columns.get('recordLocator') as TextColumn
    assert.equal(column.dictionary.text(column.codes[0] as number), 'AAA111')
    assert.notEqual(
      (await before?.partition('A', 'bookings'))?.partition,
      late?.partition,
      'nothing keeps it',
    )
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
  })

  it('is given back what the clients of an earlier snapshot took', async () => {
    await publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await open()
    await locatorOf(catalogue, 'A')
    await locatorOf(catalogue, 'B')
    await publish({ A: 'AAA111', B: 'BBB222' })
    await catalogue.refresh()
    const now = held()
    assert.equal(now?.kind === 'partitions-held' && now.count, 1)
  })
})
