import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { storedNames } from '../schema/datasets.ts'
import { FORMAT_VERSION } from './format/file-format.ts'
import { currentFile, snapshotFolder } from './format/layout.ts'
import { candidates, intactManifest } from './intact-manifest.ts'
import { readManifest } from './manifest.ts'
import { Manifests } from './manifests.ts'
import { DataFolder, damage, locatorOf } from './testing/data-folder.ts'
import { rewriteFormat } from './testing/rewrite-format.ts'
import { beginSnapshot, removeOldSnapshots } from './writing/snapshot-writer.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('the order in which snapshots are tried', () => {
  prepareEachTest()

  const table: readonly [title: string, wanted: string | undefined, ids: string[], expected: string[]][] = [
    ['the wanted one, then older ones from new to old', '3', ['3', '2', '1'], ['3', '2', '1']],
    ['those whose ids a fast clock has made come last', '2', ['9', '8', '2', '1'], ['2', '1', '9', '8']],
    ['the same order when the wanted one is gone', '2', ['9', '1'], ['2', '1', '9']],
    ['from new to old when none is wanted', undefined, ['3', '2', '1'], ['3', '2', '1']],
    ['only the wanted one when there is no other', '1', [], ['1']],
  ]
  for (const [title, wanted, ids, expected] of table) {
    it(`is: ${title}`, () => assert.deepEqual(candidates(wanted, ids), expected))
  }

  it('serves the older one and not one with a later id when the current one is damaged', async () => {
    const older = await data.publish({ A: 'AAA111' })
    const ahead = await data.publish({ A: 'AHEAD1' })
    await data.renameSnapshot(ahead.id, ahead.id.replace(/^\d{4}/, '2999'))
    await writeFile(currentFile(data.path), `${older.id}\n`)
    const catalogue = await data.open()
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
    await rm(snapshotFolder(data.path, older.id), { recursive: true })
    assert.equal(await locatorOf(await data.open(), 'A'), 'AHEAD1', 'better than nothing')
  })

  it('reports a damaged one once, however often it is looked at', async () => {
    await data.publish({ A: 'AAA111' })
    const { id } = await data.publish({ A: 'AAA222' })
    await damage(data.manifestFile(id))
    const catalogue = await data.open()
    for (let i = 0; i < 3; i++) await catalogue.refresh()
    const reports = data.seen.filter((fact) => fact.kind === 'snapshot-damaged')
    assert.deepEqual(
      reports.map(({ snapshot }) => snapshot),
      [id],
    )
  })

  it('is no damage when another store still names it, and is damage when it should be current', async () => {
    await data.publish({ A: 'AAA111' })
    const { id } = await data.publish({ A: 'AAA222' })
    await rm(snapshotFolder(data.path, id), { recursive: true })
    const manifests = new Manifests(data.path, data.observe)
    const damagedIds = () =>
      data.seen.flatMap((fact) => (fact.kind === 'snapshot-damaged' ? [fact.snapshot] : []))
    assert.equal(await manifests.intact(id), null)
    assert.equal(await manifests.intact('20260101T000000000Z-0000'), null)
    assert.deepEqual(damagedIds(), [])
    await manifests.successorOf(undefined)
    assert.deepEqual(damagedIds(), [id])
  })

  it('gives a new snapshot a newer id than one that was made while the clock was fast', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const ahead = first.id.replace(/^\d{4}/, '2999')
    await data.renameSnapshot(first.id, ahead)
    const second = await data.publish({ A: 'AAA222' })
    assert.ok(second.id > ahead)
    await removeOldSnapshots(data.path, 1)
    assert.equal(await locatorOf(await data.open(), 'A'), 'AAA222')
  })
})

describe('a snapshot of another format', () => {
  prepareEachTest()

  it('is skipped without a report of damage, and its counts can still be read', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await rewriteFormat(data.path, second.id, FORMAT_VERSION - 1)
    assert.equal((await data.open()).current()?.id, first.id)
    assert.deepEqual(
      data.seen.flatMap((o) => (o.kind === 'snapshot-skipped' ? [o.snapshot] : [])),
      [second.id],
    )
    assert.ok(data.seen.every(({ kind }) => kind !== 'snapshot-damaged'))
    await assert.rejects(readManifest(snapshotFolder(data.path, second.id)), { code: 'SNP304' })
    await rm(snapshotFolder(data.path, first.id), { recursive: true })
    const draft = await beginSnapshot(data.path)
    assert.equal(draft.previous, null)
    assert.equal(draft.bookingsBefore, 1)
    assert.deepEqual(draft.rowsBefore, {
      tables: { clients: 1, bookings: 1, segments: 0, invoices: 0, invoice_lines: 0 },
      clients: new Map([['A', { bookings: 1, invoices: 0 }]]),
    })
    await draft.abandon()
  })

  it('shares no files with the next snapshot, which shares all files with the one after it', async () => {
    const { id } = await data.publish({ A: 'AAA111', B: 'BBB111' })
    await rewriteFormat(data.path, id, FORMAT_VERSION - 1)
    assert.equal((await data.publish({ A: 'AAA111', B: 'BBB111' })).kept, 0)
    assert.equal((await data.publish({ A: 'AAA111', B: 'BBB111' })).kept, 2 * storedNames.length)
  })

  it('is not searched for an older intact file of a client', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await rewriteFormat(data.path, first.id, FORMAT_VERSION - 1)
    await damage(await data.bookingsFile(second.id, 'A'))
    await assert.rejects(locatorOf(await data.open(), 'A'), { code: 'SNP302' })
  })
})

describe('the manifest of a snapshot', () => {
  prepareEachTest()

  const older = FORMAT_VERSION - 1
  const newer = FORMAT_VERSION + 1
  const cases: readonly [what: string, change: (id: string) => Promise<void>, state: string, says: RegExp][] =
    [
      ['as it was written', async () => undefined, 'intact', /^$/],
      [
        'with an older format',
        (id) => rewriteFormat(data.path, id, older),
        'other-format',
        new RegExp(`has format ${older}; this version reads format ${FORMAT_VERSION} .*older version`),
      ],
      [
        'with a newer format',
        (id) => rewriteFormat(data.path, id, newer),
        'other-format',
        new RegExp(`has format ${newer}; this version reads format ${FORMAT_VERSION} .*newer version`),
      ],
      [
        'altered so that it names another format',
        (id) => rewriteFormat(data.path, id, older, { isIntact: false }),
        'damaged',
        /is damaged: its checksum does not match/,
      ],
      ['with one byte altered', (id) => damage(data.manifestFile(id)), 'damaged', /is damaged/],
      ['that is missing', (id) => rm(data.manifestFile(id)), 'damaged', /is damaged: .*ENOENT/],
    ]
  for (const [what, change, state, says] of cases) {
    it(`${what} counts as ${state}`, async () => {
      const { id } = await data.publish({ A: 'AAA111' })
      await change(id)
      const examined = await intactManifest(data.path, id)
      assert.equal(examined.state, state)
      assert.match(
        examined.problem === null ? '' : `${examined.problem.message} ${examined.problem.hint}`,
        says,
      )
    })
  }
})
