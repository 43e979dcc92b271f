import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { extractTables } from '../schema/extract-tables.ts'
import type { DemoFormat } from './extract-folder.ts'
import { FIXED_DAY } from './testing/extract-in-memory.ts'
import { type DemoProgress, writeDemoExtract } from './write-demo-extract.ts'

const tables = Object.values(extractTables)
const formats: readonly DemoFormat[] = ['csv', 'ndjson', 'parquet']
const small = { clients: 5, bookings: 200, seed: 7, today: FIXED_DAY, format: 'csv' } as const

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'demo-extract-'))
})
after(() => rm(root, { recursive: true }))

async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort()
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])
  return Object.fromEntries(await Promise.all(texts))
}

for (const format of ['csv', 'ndjson'] as const) {
  test(`writes the same ${format} bytes for the same seed and day, others for another seed or day`, async () => {
    const [first, second, other, later] = ['first', 'second', 'other', 'later'].map((name) =>
      join(root, `${format}-${name}`),
    )
    await writeDemoExtract({ ...small, format, out: first! })
    await writeDemoExtract({ ...small, format, out: second! })
    await writeDemoExtract({ ...small, format, out: other!, seed: 8 })
    assert.deepEqual(await contents(second!), await contents(first!))
    assert.notDeepEqual(await contents(other!), await contents(first!))
    await writeDemoExtract({ ...small, format, out: later!, today: FIXED_DAY + 1 })
    assert.notDeepEqual(await contents(later!), await contents(first!))
  })
}

test('writes one file per table and returns its rows and bytes', async () => {
  const out = join(root, 'made', 'on', 'the', 'way')
  const { tables: written, clients } = await writeDemoExtract({ ...small, out })
  assert.deepEqual(
    written.map(({ name }) => name),
    tables.map(({ name }) => name),
  )
  for (const { name, rows, bytes } of written) {
    const text = await readFile(join(out, `${name}.csv`))
    assert.equal(bytes, text.byteLength)
    assert.equal(rows + 1, text.toString().split('\n').length - 1)
  }
  assert.equal(clients.length, 5)
  assert.equal(
    clients.reduce((sum, { bookings }) => sum + bookings, 0),
    200,
  )
  const bySize = clients.map(({ bookings }) => bookings).sort((a, b) => b - a)
  assert.equal(clients[0]?.bookings, bySize[1])
})

test('carries equal content in every format', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
  const outs = new Map(formats.map((format) => [format, join(root, `equal-${format}`)]))
  for (const [format, out] of outs) await writeDemoExtract({ ...small, format, out })
  for (const { name, columns } of tables) {
    const types = columns.map(({ column, type }) => `'${column}': '${duckTypes[type]}'`).join(', ')
    const file = (format: DemoFormat) => `'${join(outs.get(format)!, `${name}.${format}`)}'`
    const csv = `read_csv(${file('csv')}, columns = {${types}}, header = true, auto_detect = false, quote = '"', escape = '"', allow_quoted_nulls = false)`
    const parquet = await rowsOf(`SELECT * FROM read_parquet(${file('parquet')})`)
    assert.ok(parquet.length > 0)
    assert.deepEqual(await rowsOf(`SELECT * FROM ${csv}`), parquet, name)
    assert.deepEqual(
      await rowsOf(`SELECT * FROM read_ndjson(${file('ndjson')}, columns = {${types}})`),
      parquet,
      name,
    )
    const described = await rowsOf(`DESCRIBE SELECT * FROM read_parquet(${file('parquet')})`)
    assert.deepEqual(
      described.map(([column, type]) => [column, type]),
      columns.map(({ column, type }) => [column, duckTypes[type]]),
    )
  }
  connection.closeSync()
  instance.closeSync()
})

const duckTypes = {
  text: 'VARCHAR',
  date: 'DATE',
  minute: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  decimal: 'DECIMAL(18,5)',
} as const

for (const format of formats) {
  test(`writes ${format} tables without rows for an agency without bookings`, async () => {
    const out = join(root, `none-${format}`)
    const written = await writeDemoExtract({ ...small, out, format, bookings: 0 })
    const rows = Object.fromEntries(written.tables.map(({ name, rows }) => [name, rows]))
    assert.equal(rows.clients, 5)
    assert.equal(rows.bookings, 0)
    assert.ok(existsSync(join(out, `payments.${format}`)))
  })
}

test('replaces an earlier demo extract, also one of another format', async () => {
  const out = join(root, 'replaced')
  await writeDemoExtract({ ...small, out, format: 'ndjson' })
  await writeDemoExtract({ ...small, out, format: 'csv' })
  const names = tables.map(({ name }) => `${name}.csv`)
  assert.deepEqual((await readdir(out)).sort(), ['.tripfolio-demo', ...names].sort())
})

test('reports its progress up to the end', async () => {
  const seen: DemoProgress[] = []
  const onProgress = (progress: DemoProgress) => void seen.push(progress)
  await writeDemoExtract({ ...small, out: join(root, 'progress'), format: 'parquet', onProgress })
  assert.deepEqual(seen.at(0), { stage: 'bookings', done: 100, total: 200 })
  assert.deepEqual(
    seen.findLast(({ stage }) => stage === 'bookings'),
    { stage: 'bookings', done: 200, total: 200 },
  )
  assert.deepEqual(seen.at(-1), { stage: 'parquet', done: 9, total: 9 })
})

for (const { what, change } of [
  { what: 'no clients', change: { clients: 0 } },
  { what: 'half a client', change: { clients: 1.5 } },
  { what: 'more clients than client numbers', change: { clients: 100_000 } },
  { what: 'a negative number of bookings', change: { bookings: -1 } },
  { what: 'more bookings than record locators', change: { bookings: 2 ** 25 + 1 } },
  { what: 'a number of bookings that is not a number', change: { bookings: Number.NaN } },
  { what: 'a seed that is not a whole number', change: { seed: 0.5 } },
]) {
  test(`refuses ${what} and creates no folder`, async () => {
    const out = join(root, 'refused')
    await assert.rejects(writeDemoExtract({ ...small, ...change, out }), { code: 'ING001' })
    assert.ok(!existsSync(out))
  })
}

test('refuses a file in place of the folder', async () => {
  const out = join(root, 'file')
  await writeFile(out, 'precious')
  await assert.rejects(writeDemoExtract({ ...small, out }), { code: 'ING002' })
  assert.equal(await readFile(out, 'utf8'), 'precious')
})

for (const name of ['notes.txt', 'bookings.csv']) {
  test(`refuses a folder that holds ${name} without the mark`, async () => {
    const out = join(root, `foreign-${name}`)
    await mkdir(out)
    await writeFile(join(out, name), 'precious')
    await assert.rejects(writeDemoExtract({ ...small, out }), { code: 'ING003', message: new RegExp(name) })
    assert.deepEqual(await contents(out), { [name]: 'precious' })
  })
}

test('refuses a foreign file that was added to a demo extract', async () => {
  const out = join(root, 'added')
  await writeDemoExtract({ ...small, out })
  await writeFile(join(out, 'report.xlsx'), 'precious')
  await assert.rejects(writeDemoExtract({ ...small, out }), { code: 'ING003', message: /report\.xlsx/ })
})

test('refuses a folder that cannot be created', async () => {
  const file = join(root, 'no-folder')
  await writeFile(file, '')
  await assert.rejects(writeDemoExtract({ ...small, out: join(file, 'below') }), { code: 'ING004' })
})

for (const { format, stage } of [
  { format: 'csv', stage: 'bookings' },
  { format: 'parquet', stage: 'parquet' },
] as const) {
  test(`leaves nothing when aborted while writing ${stage}`, async () => {
    const out = join(root, `aborted-${stage}`, 'extract')
    const controller = new AbortController()
    const onProgress = (progress: DemoProgress) => {
      if (progress.stage === stage) controller.abort()
    }
    const run = writeDemoExtract({ ...small, format, out, onProgress, signal: controller.signal })
    await assert.rejects(run, { name: 'AbortError' })
    assert.ok(!existsSync(join(root, `aborted-${stage}`)))
  })
}

test('keeps the earlier extract when aborted', async () => {
  const out = join(root, 'kept')
  await writeDemoExtract({ ...small, out })
  const earlier = await contents(out)
  const controller = new AbortController()
  const run = writeDemoExtract({
    ...small,
    out,
    seed: 8,
    onProgress: () => controller.abort(),
    signal: controller.signal,
  })
  await assert.rejects(run, { name: 'AbortError' })
  assert.deepEqual(await contents(out), earlier)
})

test('leaves no table when killed, and the next run removes the rest', async () => {
  const out = join(root, 'killed')
  const module = JSON.stringify(new URL('./write-demo-extract.ts', import.meta.url).href)
  const request = JSON.stringify({ ...small, out, bookings: 1_000_000 })
  const script = `const { writeDemoExtract } = await import(${module}); await writeDemoExtract(${request})`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const partial = join(out, '.partial', 'segments.csv')
  while (!existsSync(partial) && child.exitCode === null) await delay(10)
  child.kill('SIGKILL')
  await exited
  assert.deepEqual((await readdir(out)).sort(), ['.partial', '.tripfolio-demo'])
  await writeDemoExtract({ ...small, out })
  const names = tables.map(({ name }) => `${name}.csv`)
  assert.deepEqual((await readdir(out)).sort(), ['.tripfolio-demo', ...names].sort())
})
