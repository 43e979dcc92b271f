/** The recipes of docs/how-to/changes.md, taken from the page and run against a service that publishes between two nights. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { startService } from '../wire/start-service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/changes.md'), 'utf8')

/** The indented blocks below a heading. */
function blocksOf(heading: string): readonly string[] {
  const [section = ''] = page.slice(page.indexOf(`\n## ${heading}`) + 4).split('\n## ')
  const blocks: string[] = []
  let isInside = false
  for (const line of section.split('\n')) {
    const isCode: boolean = line.startsWith('    ') || (line === '' && isInside)
    if (isCode && !isInside) blocks.push('')
    if (isCode) blocks.push(`${blocks.pop()}${line.slice(4)}\n`)
    isInside = isCode
  }
  return blocks
}

const later: ExtractTables = {
  ...fixtureExtract,
  bookings: [
    ...fixtureExtract.bookings
      .filter(({ record_locator: locator }) => locator !== 'NULLS')
      .map((row) => (row.record_locator === 'ABC123' ? { ...row, originating_agency: 'Elsewhere' } : row)),
    { ...(fixtureExtract.bookings[0] as (typeof fixtureExtract.bookings)[0]), record_locator: 'NEW001' },
  ],
  segments: fixtureExtract.segments.filter(({ record_locator: locator }) => locator !== 'NULLS'),
}

type Service = Awaited<ReturnType<typeof startService>>
type Booking = { readonly recordLocator: string }

let service: Service
let key: string
let folder: string
before(async () => {
  service = await startService()
  key = await service.keyOf(harbour)
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-changes-guide-'))
})
after(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** By locator, as the service has them now. */
async function current(): Promise<readonly Booking[]> {
  const response = await service.request('/api/v2/bookings', key)
  return sorted(((await response.json()) as { readonly bookings: readonly Booking[] }).bookings)
}

const sorted = (bookings: readonly Booking[]): readonly Booking[] =>
  bookings.toSorted((one, other) => (one.recordLocator < other.recordLocator ? -1 : 1))

let hasPublished = false

/** Runs the work on three nights: the first, one after a refresh, and one on which nothing is known of changes any more. */
async function onThreeNights(work: (night: number) => Promise<void>): Promise<void> {
  // The service begins with it.
  if (hasPublished) await service.publish(fixtureExtract)
  hasPublished = true
  await work(1)
  await service.publish(later)
  await work(2)
  await service.publish(fixtureExtract)
  await service.forgetChanges()
  await work(3)
}

describe('docs/how-to/changes.md', () => {
  const hasPython = spawnSync('python3', ['--version']).status === 0
  it('has a nightly copy in Python', { skip: hasPython ? false : 'python3 is not at hand' }, async () => {
    const [script = ''] = blocksOf('A nightly copy in Python')
    await writeFile(join(folder, 'nightly.py'), script)
    const env = { ...process.env, TRAVEL_URL: `http://127.0.0.1:${service.port}`, TRAVEL_KEY: key }
    const read =
      'import sqlite3; [print(r) for [r] in sqlite3.connect("bookings.db").execute("select record from bookings")]'
    await onThreeNights(async () => {
      await promisify(execFile)('python3', ['nightly.py'], { cwd: folder, env })
      const { stdout } = await promisify(execFile)('python3', ['-c', read], { cwd: folder, env })
      const copied = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual(sorted(copied), await current())
    })
  })

  it('has the changes since a moment as CSV', async () => {
    hasPublished = true
    await service.publish(fixtureExtract)
    const moment = new Date().toISOString().replace('Z', '+00:00')
    await service.publish(later)
    const [command = ''] = blocksOf('Since a date')
    const here = command
      .replace('KEY', key)
      .replace(':8080', `:${service.port}`)
      .replace(/since=\S+/, `since=${moment}`)
    assert.ok(here.includes(moment))
    await promisify(execFile)('bash', ['-euc', here], { cwd: folder })
    const [header, ...rows] = readFileSync(join(folder, 'changes.csv'), 'utf8').trim().split('\r\n')
    assert.match(String(header), /_change,/)
    assert.deepEqual(
      rows.map((row) => row.split(',', 1)[0]),
      ['changed', 'added', 'removed'],
    )
  })

  it('has files of curl, and a table of DuckDB that follows them', async () => {
    const [first = '', next = ''] = blocksOf('curl')
    const [create = '', update = '', ask = ''] = blocksOf('DuckDB')
    const run = (command: string) => {
      const here = command.replace('KEY', key).replaceAll(':8080', `:${service.port}`)
      return promisify(execFile)('bash', ['-euc', here], { cwd: folder })
    }
    const instance = await DuckDBInstance.create(':memory:')
    const duckdb = await instance.connect()
    const ofFolder = (sql: string) => sql.replace(/'(\w+\.ndjson)'/g, `'${folder}/$1'`)
    try {
      await onThreeNights(async (night) => {
        if (night === 1) {
          await run(first)
          await duckdb.run(ofFolder(create))
        } else if (night === 2) {
          await run(next)
          await duckdb.run(ofFolder(update))
        } else {
          const tokenBefore = readFileSync(join(folder, 'token.txt'), 'utf8')
          await assert.rejects(run(next), /returned error: 410/)
          assert.equal(readFileSync(join(folder, 'token.txt'), 'utf8'), tokenBefore)
          return
        }
        assert.deepEqual(await recordsIn(duckdb), await current())
        const agencies = (await duckdb.runAndReadAll(ask)).getRowObjects()
        assert.ok(agencies.length > 0)
      })
    } finally {
      duckdb.closeSync()
      instance.closeSync()
    }
  })
})

async function recordsIn(duckdb: DuckDBConnection): Promise<readonly Booking[]> {
  const read = await duckdb.runAndReadAll('SELECT record FROM bookings')
  return sorted(read.getRows().map(([record]) => JSON.parse(String(record)) as Booking))
}
