import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { runRefresh } from './cycle.ts'
import { threadsFor } from './database-threads.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-threads-'))
})
after(() => rm(root, { recursive: true }))

async function folderWith(files: Readonly<Record<string, number>>): Promise<string> {
  const folder = await mkdtemp(join(root, 'source-'))
  await mkdir(join(folder, 'bookings'))
  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(join(folder, name), '')
    await truncate(join(folder, name), bytes)
  }
  return folder
}

it('is one for files that are small together', async () => {
  assert.equal(await threadsFor(await folderWith({})), 1)
  assert.equal(
    await threadsFor(await folderWith({ 'clients.csv': 2 ** 19, 'bookings/a.parquet': 2 ** 19 })),
    1,
  )
})

it('is one for each core where the files are large, or their size is not known', async () => {
  assert.equal(
    await threadsFor(await folderWith({ 'clients.csv': 2 ** 19, 'bookings/a.csv': 2 ** 19 + 1 })),
    undefined,
  )
  assert.equal(await threadsFor(await folderWith({ 'tripfolio.sql': 10 })), undefined)
  const linked = await folderWith({})
  await symlink(root, join(linked, 'invoices'))
  assert.equal(await threadsFor(linked), undefined)
  assert.equal(await threadsFor(join(root, 'missing')), undefined)
  assert.equal(await threadsFor('postgresql://localhost/warehouse'), undefined)
})

it('is what the database of a refresh is opened with, unless a number is given', async (t) => {
  const create = t.mock.method(DuckDBInstance, 'create')
  const refresh = async (source: string, databaseThreads?: number) => {
    const request = { source, dataFolder: join(root, 'data'), maxRejectShare: 0, retainSnapshots: 1 }
    const given = databaseThreads === undefined ? {} : { databaseThreads }
    await assert.rejects(runRefresh({ ...request, ...given, observe: () => undefined }), { code: 'ING102' })
    return create.mock.calls.at(-1)?.arguments[1]?.threads
  }
  const small = await folderWith({ 'notes.txt': 1 })
  assert.equal(await refresh(small), '1')
  assert.equal(await refresh(small, 3), '3')
  const large = await folderWith({ 'notes.txt': 2 ** 21 })
  assert.equal(await refresh(large), String(availableParallelism()))
})
