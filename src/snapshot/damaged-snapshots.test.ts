import assert from 'node:assert/strict'
import { appendFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Observation } from '../observe/observation.ts'
import { SharedFiles } from './files/shared-files.ts'
import { currentFile, snapshotFolder } from './format/layout.ts'
import { readManifest } from './manifest.ts'
import { SnapshotCatalogue } from './snapshot-catalogue.ts'
import { DataFolder, damage, locatorOf } from './testing/data-folder.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('a damaged snapshot', () => {
  prepareEachTest()

  it('serves the newest older snapshot when the manifest of the current one is damaged', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await damage(data.manifestFile(second.id))
    const catalogue = await data.open()
    assert.equal(catalogue.current()?.id, first.id)
    assert.ok(data.seen.some((o) => o.kind === 'snapshot-damaged' && o.snapshot === second.id))
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`serves the newest older snapshot when a file of the current one is truncated or missing (${stored})`, async () => {
      const first = await data.publish({ A: 'AAA111' })
      const second = await data.publish({ A: 'AAA222' })
      await truncate(await data.bookingsFile(second.id, 'A', stored), 100)
      assert.equal((await data.open()).current()?.id, first.id)
      await rm(await data.bookingsFile(second.id, 'A', stored))
      assert.equal((await data.open()).current()?.id, first.id)
    })
  }

  it('serves the newest older snapshot when a file of the current one has grown', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await appendFile(await data.bookingsFile(second.id, 'A'), '\n')
    assert.equal((await data.open()).current()?.id, first.id)
    assert.ok(data.seen.some((o) => o.kind === 'snapshot-damaged' && /bytes instead of/.test(o.reason)))
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`serves a client from the older snapshot when its file is found damaged (${stored})`, async () => {
      const first = await data.publish({ A: 'AAA111', B: 'BBB111' })
      const second = await data.publish({ A: 'AAA222', B: 'BBB222' })
      await damage(await data.bookingsFile(second.id, 'A', stored))
      const catalogue = await data.open()
      assert.equal(catalogue.current()?.id, second.id)
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA111')
      assert.equal(await locatorOf(catalogue, 'B', stored), 'BBB222')
      const originOf = async (client: string) =>
        (await catalogue.current()?.partition(client, stored))?.snapshotId
      assert.deepEqual([await originOf('A'), await originOf('B')], [first.id, second.id])
      assert.ok(data.seen.some((o) => o.kind === 'snapshot-damaged' && /checksum/.test(o.reason)))
      // The other files of the client still come from the new snapshot.
      const other = stored === 'bookings' ? 'bookings-v1' : 'bookings'
      assert.equal(await locatorOf(catalogue, 'A', other), 'AAA222')
    })
  }

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`goes back to the new data when a refresh has replaced the damaged file (${stored})`, async () => {
      await data.publish({ A: 'AAA111' })
      const second = await data.publish({ A: 'AAA222' })
      await damage(await data.bookingsFile(second.id, 'A', stored))
      const catalogue = await data.open()
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA111')
      await data.publish({ A: 'AAA222' })
      await catalogue.refresh()
      assert.equal(await locatorOf(catalogue, 'A', stored), 'AAA222')
    })
  }

  it('reports a damaged snapshot once, however often it checks', async () => {
    await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await damage(data.manifestFile(second.id))
    const catalogue = await data.open()
    await catalogue.refresh()
    await catalogue.refresh()
    assert.equal(data.seen.filter(({ kind }) => kind === 'snapshot-damaged').length, 1)
  })

  for (const stored of ['bookings', 'bookings-v1'] as const) {
    it(`refuses when no intact file of the client is left (${stored})`, async () => {
      const { id } = await data.publish({ A: 'AAA111' })
      await damage(await data.bookingsFile(id, 'A', stored))
      await assert.rejects(locatorOf(await data.open(), 'A', stored), { code: 'SNP302' })
    })
  }

  describe('with a damaged file', () => {
    /** How often each file was loaded, by checksum. */
    let loads: Map<string, number>
    async function openCounting(): Promise<SnapshotCatalogue> {
      loads = new Map()
      const observe = (observation: Observation) => data.seen.push(observation)
      const files = new SharedFiles(data.path, observe)
      const catalogue = new SnapshotCatalogue(data.path, observe, (evict) => {
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
      (await readManifest(snapshotFolder(data.path, id))).clients[0]?.bookings.sha256 as string

    it('reads it neither again under another link nor for every request', async () => {
      const first = await data.publish({ A: 'AAA111' })
      await data.publish({ A: 'AAA222' })
      const third = await data.publish({ A: 'AAA222' })
      await damage(await data.bookingsFile(third.id, 'A'))
      const catalogue = await openCounting()
      for (let asked = 0; asked < 3; asked++) assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
      assert.equal(loads.get(await checksum(third.id)), 1)
      assert.equal(loads.get(await checksum(first.id)), 1)
    })

    it('reads it again for the next request when there is no other, and serves it once it is repaired', async () => {
      const { id } = await data.publish({ A: 'AAA111' })
      const path = await data.bookingsFile(id, 'A')
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

    it('looks for the file in every retained snapshot, in older snapshots before newer ones', async () => {
      const ids: string[] = []
      for (const locator of ['AAA111', 'AAA222', 'AAA333', 'AAA444'])
        ids.push((await data.publish({ A: locator })).id)
      const catalogue = await openCounting()
      for (const at of [3, 2]) await damage(await data.bookingsFile(ids[at] as string, 'A'))
      assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    })
  })

  it('ignores a folder that holds a copy of another snapshot', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    const copied = second.id.replace(/^\d{4}/, '2999')
    await rename(snapshotFolder(data.path, second.id), snapshotFolder(data.path, copied))
    await writeFile(currentFile(data.path), `${copied}\n`)
    assert.equal((await data.open()).current()?.id, first.id)
    assert.ok(
      data.seen.some(
        (o) => o.kind === 'snapshot-damaged' && o.reason.includes(`belongs to snapshot ${second.id}`),
      ),
    )
  })

  it('ignores a current file that names no snapshot', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    await writeFile(currentFile(data.path), '../../etc\n')
    assert.equal((await data.open()).current()?.id, id)
  })
})
