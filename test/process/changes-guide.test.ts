/** The recipes of docs/how-to/changes.md, taken from the page and run against a service on three nights. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

const run = promisify(execFile)

describe('docs/how-to/changes.md', () => {
  const hasPython = spawnSync('python3', ['--version']).status === 0
  const python = { skip: hasPython ? false : 'python3 is not at hand' }
  const [first = '', next = ''] = blocksOf('curl')
  const [create = '', update = '', ask = ''] = blocksOf('DuckDB')
  const shell = (command: string) => {
    const here = command.replace('KEY', key).replaceAll(':8080', `:${service.port}`)
    return run('bash', ['-euc', here], { cwd: folder })
  }
  const ofFolder = (sql: string) => sql.replace(/'(\w+\.ndjson)'/g, `'${folder}/$1'`)

  let instance: DuckDBInstance
  let duckdb: DuckDBConnection
  before(async () => {
    instance = await DuckDBInstance.create(':memory:')
    duckdb = await instance.connect()
  })
  after(() => {
    duckdb.closeSync()
    instance.closeSync()
  })

  /** The nightly copy in Python, and what it copied. */
  async function copied(): Promise<readonly Booking[]> {
    const env = { ...process.env, TRAVEL_URL: `http://127.0.0.1:${service.port}`, TRAVEL_KEY: key }
    await run('python3', ['nightly.py'], { cwd: folder, env })
    const database = new DatabaseSync(join(folder, 'bookings.db'), { readOnly: true })
    try {
      const rows = database.prepare('select record from bookings').all()
      return sorted(rows.map(({ record }) => JSON.parse(String(record)) as Booking))
    } finally {
      database.close()
    }
  }

  async function assertFollowed(): Promise<void> {
    assert.deepEqual(await recordsIn(duckdb), await current())
    assert.ok((await duckdb.runAndReadAll(ask)).getRowObjects().length > 0)
  }

  describe('on the first night', () => {
    it('has a nightly copy in Python', python, async () => {
      const [script = ''] = blocksOf('A nightly copy in Python')
      await writeFile(join(folder, 'nightly.py'), script)
      assert.deepEqual(await copied(), await current())
    })

    it('has files of curl, and a table of DuckDB', async () => {
      await shell(first)
      await duckdb.run(ofFolder(create))
      await assertFollowed()
    })
  })

  describe('on the night after a refresh', () => {
    let moment: string
    before(async () => {
      moment = new Date().toISOString().replace('Z', '+00:00')
      await service.publish(later)
    })

    it('has a nightly copy in Python', python, async () => {
      assert.deepEqual(await copied(), await current())
    })

    it('has files of curl, and a table of DuckDB that follows them', async () => {
      await shell(next)
      await duckdb.run(ofFolder(update))
      await assertFollowed()
    })

    it('has the changes since a moment as CSV', async () => {
      const [command = ''] = blocksOf('Since a date')
      const here = command.replace(/since=\S+/, `since=${moment}`)
      assert.ok(here.includes(moment))
      await shell(here)
      const [header, ...rows] = readFileSync(join(folder, 'changes.csv'), 'utf8').trim().split('\r\n')
      assert.match(String(header), /_change,/)
      assert.deepEqual(
        rows.map((row) => row.split(',', 1)[0]),
        ['changed', 'added', 'removed'],
      )
    })
  })

  describe('on a night on which nothing is known of changes any more', () => {
    before(async () => {
      await service.publish(fixtureExtract)
      await service.forgetChanges()
    })

    it('has a nightly copy in Python', python, async () => {
      assert.deepEqual(await copied(), await current())
    })

    it('has files of curl, which stay as they are', async () => {
      const tokenBefore = readFileSync(join(folder, 'token.txt'), 'utf8')
      await assert.rejects(shell(next), /returned error: 410/)
      assert.equal(readFileSync(join(folder, 'token.txt'), 'utf8'), tokenBefore)
    })
  })
})

async function recordsIn(duckdb: DuckDBConnection): Promise<readonly Booking[]> {
  const read = await duckdb.runAndReadAll('SELECT record FROM bookings')
  return sorted(read.getRows().map(([record]) => JSON.parse(String(record)) as Booking))
}
