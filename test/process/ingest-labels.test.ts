/** A client with more custom labels than anybody could use does not make its records as wide as that. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, publishedRecords, refresh, rejectsIn } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const labelsOf = (client_number: string, labels: readonly number[]) =>
  rowsOf(
    'custom_field_labels',
    labels.map((n) => ({ client_number, field: 'department', label: `Label ${String(n).padStart(4, '0')}` })),
  )

/** The last label first: the order of the rows must not matter. */
const countdown = (from: number) => Array.from({ length: from }, (_, at) => from - at)

const withLabels = (ofHarbour: number, ofLimmat: number): ExtractTables => ({
  ...fixtureExtract,
  custom_field_labels: [
    ...labelsOf(harbour, countdown(ofHarbour)),
    ...labelsOf(limmat, countdown(ofLimmat).reverse()),
  ],
})

describe('the custom labels of a client', () => {
  it('are kept up to 1,000 in the order of their text, and those beyond are rejects', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, withLabels(1002, 3), 'csv')
    const { snapshot, tables } = await refresh(folders)
    assert.partialDeepStrictEqual(tables[1], { table: 'custom_field_labels', rows: 1005, rejects: 2 })
    const rejects = await rejectsIn(join(folders.data, 'snapshots', snapshot))
    assert.deepEqual(
      rejects.map(({ table, row, key, field, rule, value }) => [
        table,
        row,
        key?.client_number,
        field,
        rule,
        value,
      ]),
      [
        ['custom_field_labels', 1, harbour, 'label', 'labels.count', 'Label 1002'],
        ['custom_field_labels', 2, harbour, 'label', 'labels.count', 'Label 1001'],
      ],
    )
    assert.match(rejects[0]?.message ?? '', /the setting labelsPerClient/)
    const labels = (await publishedRecords(folders.data, harbour, 'bookings'))
      .filter((text) => text.includes('"ABC123"'))
      .flatMap((text) => Object.keys(JSON.parse(text).customDataFields))
    assert.equal(labels.length, 1000)
    assert.equal(labels.at(-1), 'Label 1000')
  })

  it("show the booking's own column in any letter case of its name, for each client by itself", async (t) => {
    const folders = await makeFolders(t)
    const label = (client_number: string, field: string, name: string) => ({
      client_number,
      field,
      label: name,
    })
    const rows = [
      label(harbour, 'cost_centre', 'Plain'),
      label(harbour, 'COST_CENTRE', 'Upper'),
      label(harbour, 'Cost_Centre', 'Mixed'),
      label(limmat, 'COST_centre', 'Upper'),
    ]
    const tables = { ...fixtureExtract, custom_field_labels: rowsOf('custom_field_labels', rows) }
    await writeExtract(folders.source, tables, 'csv')
    await refresh(folders)
    const labelsIn = async (client: string) =>
      (await publishedRecords(folders.data, client, 'bookings')).map(
        (text) => JSON.parse(text).customDataFields,
      )
    const ofHarbour = await labelsIn(harbour)
    assert.ok(ofHarbour.some(({ Plain }) => Plain !== null))
    for (const { Plain, Upper, Mixed } of ofHarbour) assert.deepEqual([Upper, Mixed], [Plain, Plain])
    const ofLimmat = await labelsIn(limmat)
    assert.ok(ofLimmat.some(({ Upper }) => Upper !== undefined))
    for (const fields of ofLimmat) assert.deepEqual([fields.Plain, fields.Mixed], [undefined, undefined])
  })

  it('may be as many as the setting says, for each client', async (t) => {
    const { source, data } = await makeFolders(t)
    // A refresh that is refused for its rejects does not build the wide records.
    await writeExtract(source, withLabels(1003, 1002), 'csv')
    const ingest = (labels: string) =>
      runCommand([
        'ingest',
        '--source',
        source,
        '--data',
        data,
        '--max-reject-share',
        '0',
        '--labels-per-client',
        labels,
      ])
    const beyond = await ingest('1002')
    assert.equal(beyond.code, 1)
    assert.match(beyond.stderr, /Table 'custom_field_labels' has 1 rejected of 2005 rows/)
    assert.match((await ingest('10')).stderr, /Table 'custom_field_labels' has 1985 rejected of 2005 rows/)
    await writeExtract(source, withLabels(12, 10), 'csv')
    assert.match((await ingest('12')).stdout, /^custom_field_labels +22 +0 +0$/m)
  })
})
