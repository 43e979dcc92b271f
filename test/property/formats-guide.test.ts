/** The recipes of the guide to formats read what the service writes. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { serveExtract } from './serve-extract.ts'

it('the recipe for DuckDB reads labels with line breaks', async (t) => {
  const label = 'Cost\nCentre, "old"'
  const [first, ...others] = fixtureExtract.custom_field_labels
  assert.equal(first?.client_number, harbour)
  const labels = [{ ...first, label }, ...others]
  const served = await serveExtract({ ...fixtureExtract, custom_field_labels: labels }, 'csv')
  t.after(() => served.close())
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-guide-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'bookings.csv')
  await writeFile(path, await served.textOf(harbour, 'bookings', 'csv'))
  const guide = await readFile(join(import.meta.dirname, '../../docs/how-to/formats.md'), 'utf8')
  const recipe = /^\| DuckDB \| `(from read_csv\(.*?\))` \|/m.exec(guide)?.[1] ?? ''
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const result = await connection.run(recipe.replace('bookings.csv', path))
  assert.ok(result.columnNames().includes(`customDataFields.${label}`), result.columnNames().join())
  const rows = fixtureExtract.bookings.filter((row) => row.client_number === harbour)
  assert.equal((await result.getRowsJson()).length, rows.length)
  connection.closeSync()
  instance.closeSync()
})
