import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { RecordBatchFileReader } from 'apache-arrow'
import { storedNames } from '../../schema/datasets.ts'
import { CollectionBuilder } from '../format/collection-builder.ts'
import { currentFile, draftFolder, snapshotFolder, snapshotsFolder } from '../format/layout.ts'
import { DataFolder, damage, locatorOf } from '../testing/data-folder.ts'
import { beginSnapshot, removeOldSnapshots } from './snapshot-writer.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('publishing a snapshot', () => {
  prepareEachTest()

  it('makes it current and leaves no draft behind', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    assert.equal((await readFile(currentFile(data.path), 'utf8')).trim(), id)
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), [id])
    const catalogue = await data.open()
    assert.equal(catalogue.current()?.id, id)
    assert.equal(catalogue.current()?.extractedAt.toISOString(), '2026-01-02T03:04:05.000Z')
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
  })

  it('links the files of unchanged clients', async () => {
    const first = await data.publish({ A: 'AAA111', B: 'BBB111' })
    const second = await data.publish({ A: 'AAA111', B: 'BBB222' })
    // All files except the bookings of B in both versions.
    assert.equal(second.kept, 2 * storedNames.length - 2)
    const inode = async (id: string, client: string) => (await stat(await data.bookingsFile(id, client))).ino
    assert.equal(await inode(first.id, 'A'), await inode(second.id, 'A'))
    assert.notEqual(await inode(first.id, 'B'), await inode(second.id, 'B'))
  })

  it('writes a file again when the previous one is damaged', async () => {
    const first = await data.publish({ A: 'AAA111' })
    await damage(await data.bookingsFile(first.id, 'A'))
    const second = await data.publish({ A: 'AAA111' })
    assert.equal(second.kept, storedNames.length - 1)
    assert.equal(await locatorOf(await data.open(), 'A'), 'AAA111')
  })

  it('keeps clients apart whose numbers differ in case or have unsafe characters', async () => {
    await data.publish({ a: 'LOWER1', A: 'UPPER1', '../x': 'DOTS11', 'ü/': 'UMLAUT' })
    const catalogue = await data.open()
    assert.equal(await locatorOf(catalogue, 'a'), 'LOWER1')
    assert.equal(await locatorOf(catalogue, 'A'), 'UPPER1')
    assert.equal(await locatorOf(catalogue, '../x'), 'DOTS11')
    assert.equal(await locatorOf(catalogue, 'ü/'), 'UMLAUT')
  })

  it('keeps clients apart whose numbers have no safe character and whose hashes begin alike', async () => {
    const [one, other] = ['丟专丈丁', '一丕一丂'] as const
    const hashes = [one, other].map((text) => createHash('sha256').update(text).digest('hex').slice(0, 8))
    assert.equal(hashes[0], hashes[1])
    await data.publish({ [one]: 'AAA111', [other]: 'BBB222' })
    const catalogue = await data.open()
    assert.deepEqual(
      [await locatorOf(catalogue, one), await locatorOf(catalogue, other)],
      ['AAA111', 'BBB222'],
    )
  })

  it('leaves the current snapshot unchanged when the draft is abandoned', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    const draft = await beginSnapshot(data.path)
    await draft.add(new CollectionBuilder('bookings', 'A', []))
    await draft.abandon()
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), [id])
    assert.equal((await data.open()).current()?.id, id)
  })

  it('knows the counts of the previous snapshot', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const draft = await beginSnapshot(data.path)
    assert.deepEqual(draft.previous?.counts, { bookings: 2, invoices: 0, segments: 0, lineItems: 0 })
    await draft.abandon()
  })

  it('takes the counts from the newest intact snapshot when the current one is damaged or unknown', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const second = await data.publish({ A: 'AAA111' })
    await writeFile(currentFile(data.path), 'garbage')
    const unknown = await beginSnapshot(data.path)
    assert.equal(unknown.previous?.id, second.id)
    await unknown.abandon()
    await damage(data.manifestFile(second.id))
    const damaged = await beginSnapshot(data.path)
    assert.equal(damaged.previous?.counts.bookings, 2)
    await damaged.abandon()
  })

  it('gives the snapshot an id after all others, even when the clock was fast before', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    const ahead = id.replace(/^..../, '2999')
    await rename(snapshotFolder(data.path, id), snapshotFolder(data.path, ahead))
    const next = await data.publish({ A: 'AAA222' })
    assert.ok(next.id > ahead)
    await removeOldSnapshots(data.path, 1)
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), [next.id])
  })

  it('removes drafts of processes that have ended', async () => {
    await data.publish({ A: 'AAA111' })
    const dead = draftFolder(data.path, '20260101T000000000Z-0000').replace(String(process.pid), '999999999')
    await (await import('node:fs/promises')).mkdir(dead)
    await data.publish({ A: 'AAA111' })
    assert.ok((await readdir(snapshotsFolder(data.path))).every((name) => !name.startsWith('.draft')))
  })

  it('refuses a data folder that cannot be made', async () => {
    const file = join(data.path, 'file')
    await writeFile(file, '')
    await assert.rejects(beginSnapshot(file), { code: 'SNP201' })
  })

  it('retains an older state however often the same records are published again', async () => {
    const old = await data.publish({ A: 'AAA111' })
    const ids = []
    for (let time = 0; time < 5; time++) {
      ids.push((await data.publish({ A: 'AAA222' })).id)
      await removeOldSnapshots(data.path, 2)
    }
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), [old.id, ...ids.slice(-2)])
    assert.equal((await data.open()).current()?.id, ids.at(-1))
    await data.publish({ A: 'AAA333' })
    await removeOldSnapshots(data.path, 2)
    assert.ok(!(await readdir(snapshotsFolder(data.path))).includes(old.id))
  })

  it('retains the newest snapshots and always the current one', async () => {
    const ids = []
    for (const locator of ['AAA111', 'AAA222', 'AAA333']) ids.push((await data.publish({ A: locator })).id)
    await removeOldSnapshots(data.path, 2)
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), ids.slice(1))
    await writeFile(currentFile(data.path), `${ids[1]}\n`)
    await removeOldSnapshots(data.path, 1)
    assert.deepEqual(await readdir(snapshotsFolder(data.path)), ids.slice(1))
  })
})

describe('a published file', () => {
  prepareEachTest()

  it('opens in any Arrow library with the names of the API', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    const reader = RecordBatchFileReader.from(await readFile(await data.bookingsFile(id, 'A')))
    const [row] = [...reader].flatMap((batch) => batch.toArray().map((record) => record.toJSON()))
    assert.equal(row?.recordLocator, 'AAA111')
    assert.equal(JSON.parse(row?.json).recordLocator, 'AAA111')
  })
})
