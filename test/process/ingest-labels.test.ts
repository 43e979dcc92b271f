/** A client with more custom labels than anybody could use does not make its records as wide as that. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, publishedRecords, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const labelsOf = (client_number: string, labels: readonly number[]) =>
  rowsOf(
    'custom_field_labels',
    labels.map((n) => ({ client_number, field: 'department', label: `Label ${String(n).padStart(4, '0')}` })),
  )

/** The last label first: the order of the rows must not matter. */
const many = {
  ...fixtureExtract,
  custom_field_labels: [
    ...labelsOf(
      harbour,
      Array.from({ length: 1002 }, (_, at) => 1002 - at),
    ),
    ...labelsOf(
      limmat,
      Array.from({ length: 1000 }, (_, at) => at + 1),
    ),
  ],
}

async function labelRejects(data: string, snapshot: string): Promise<readonly Reject[]> {
  const text = await readFile(join(data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('the custom labels of a client', () => {
  it('are kept up to 1,000 in the order of their text, and those beyond are rejects', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, many, 'csv')
    const { snapshot, tables } = await refresh(folders)
    assert.partialDeepStrictEqual(tables[1], { table: 'custom_field_labels', rows: 2002, rejects: 2 })
    const rejects = await labelRejects(folders.data, snapshot)
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

  it('may be as many as the setting says', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, many, 'csv')
    const ingest = (labels: string) =>
      runCommand(['ingest', '--source', source, '--data', data, '--labels-per-client', labels])
    assert.match((await ingest('1002')).stdout, /^custom_field_labels +2002 +0 +0$/m)
    const { code, stderr } = await ingest('10')
    assert.equal(code, 1)
    assert.match(stderr, /Table 'custom_field_labels' has 1982 rejected of 2002 rows/)
  })
})
