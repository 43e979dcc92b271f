/** The list of rejects is on the disk before anybody can see the snapshot that it belongs to. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, overwrite, refresh } from './ingest-fixture.ts'

/** What is done to the list of rejects and to the snapshot's folder, in order; all of it is done. */
function recordOrder(t: TestContext): string[] {
  const order: string[] = []
  const paths = new Map<number, string>()
  const open = fs.openSync
  t.mock.method(fs, 'openSync', (...given: Parameters<typeof open>) => {
    const file = open(...given)
    paths.set(file, basename(String(given[0])))
    return file
  })
  const isRejects = (file: number) => paths.get(file) === 'rejects.ndjson'
  const write = fs.writeSync
  t.mock.method(fs, 'writeSync', (file: number, text: string) => {
    if (isRejects(file) && text !== '') order.push('written')
    return write(file, text)
  })
  const sync = fs.fsyncSync
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    if (isRejects(file)) order.push('synced')
    sync(file)
  })
  const rename = promises.rename
  t.mock.method(promises, 'rename', (from: string, to: string) => {
    if (basename(from).startsWith('.draft-')) order.push('published')
    return rename(from, to)
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  return order
}

describe('the rejects of a refresh', () => {
  it('are written and synced before the snapshot is published', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await overwrite(folders.source, { 'travellers.csv': 'client_number,record_locator\nC100,GONE99\n' })
    const order = recordOrder(t)
    const { rejects, snapshot } = await refresh(folders, { maxRejectShare: 1 })
    assert.equal(rejects, 1)
    assert.deepEqual(order, ['written', 'synced', 'published'])
    const list = join(folders.data, 'snapshots', snapshot, 'rejects.ndjson')
    assert.match(await promises.readFile(list, 'utf8'), /"rule":"reference\.booking"/)
  })
})
