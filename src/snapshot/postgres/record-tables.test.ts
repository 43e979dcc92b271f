import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RecordBatchFileWriter } from 'apache-arrow'
import { Client } from 'pg'
import { ask, type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { storedCollections, storedNames } from '../../schema/datasets.ts'
import { CollectionBuilder } from '../format/collection-builder.ts'
import { readCollection } from '../format/read-collection.ts'
import { labelColumn, sequenceKeys, textKey } from './index-keys.ts'
import { indexedFields } from './record-indexes.ts'
import {
  copyBetweenGenerations,
  copyRows,
  createRecordTables,
  dropRecordTables,
  finishRecordTables,
  RECORDS_SCHEMA,
  recordTables,
} from './record-tables.ts'

const invoices = (clientNumber: string) => {
  const builder = new CollectionBuilder('invoices', clientNumber, ['Cost', 'Team'])
  const line = (lineNumber: number, price: number | null) => [
    ...[lineNumber, 'FARE', null, 'Föhn', 100_000, price],
    ...[null, null, null, null],
  ]
  builder.append({
    values: ['Acme', clientNumber, null, '10.50', 0, null, 31, '2026-01-02', null, null, null],
    custom: ['7', null],
    elements: [line(1, Number.MAX_SAFE_INTEGER), line(2, null)],
    lists: {},
  })
  builder.append({
    values: ['Acme', clientNumber, null, 'ÄB', -719_528, null, 31, null, null, null, null],
    custom: [null, null],
    elements: [],
    lists: {},
  })
  builder.append({
    values: ['Beta', clientNumber, 'ABC', 'N3', 2_932_896, null, 31, null, null, null, null],
    custom: [null, 'X'],
    elements: [line(1, -1)],
    lists: {},
  })
  const writer = new RecordBatchFileWriter()
  writer.write(builder.finish())
  writer.finish()
  return readCollection(writer.toUint8Array(true), { stored: 'invoices', clientNumber, version: 'v' })
}

describe('the tables of records', () => {
  let database: TestDatabase
  let connection: Client
  before(async () => {
    database = await testDatabase()
    connection = new Client({ connectionString: database.url })
    await connection.connect()
    await connection.query(`create schema ${RECORDS_SCHEMA}`)
  })
  after(async () => {
    await connection.end()
    await database.drop()
  })

  const run = async (statements: readonly string[]) => {
    for (const statement of statements) await connection.query(statement)
  }
  const rowsOf = async (table: string, order: string) =>
    (await connection.query(`select * from ${table} order by client_number, ${order}`)).rows

  it('hold every row with the forms of its texts, and its finished JSON', async () => {
    await run(createRecordTables('invoices', 1))
    assert.deepEqual(await copyRows(connection, invoices('C1'), 1), { rows: 3, elements: 3 })
    await run(finishRecordTables('invoices', 1))
    const { fields, records, elements } = recordTables('invoices', 1)
    const [first, second, third] = await rowsOf(fields, 'ordinal')
    assert.deepEqual(
      [first.ordinal, first.invoiceNumber, first.invoiceNumber_number, first.dueDate],
      [0, '10.50', '2c000000000000000105', 31],
    )
    assert.equal(first.obtSource_instant, String(Date.UTC(2026, 0, 2)))
    assert.deepEqual(
      [first.labels, first.labels_number],
      [
        ['7', null],
        ['2bff000000000000' + '07', null],
      ],
    )
    assert.deepEqual(
      [second.invoiceNumber, second.invoiceNumber_folded, second.invoiceDate, second.labels],
      ['ÄB', 'äb', -719_528, null],
    )
    assert.deepEqual(third.keys, [
      textKey('C1', labelColumn(1), 'x'),
      ...sequenceKeys('C1', 'recordLocator', 'abc'),
    ])
    assert.deepEqual(
      (await rowsOf(records, 'ordinal')).map(
        ({ front, rest }) => JSON.parse(`${front}${rest}}`).invoiceNumber,
      ),
      ['10.50', 'ÄB', 'N3'],
    )
    assert.deepEqual(
      (await rowsOf(elements as string, 'ordinal, position')).map((row) => [
        row.ordinal,
        row.position,
        row.unitPrice,
      ]),
      [
        [0, 0, String(Number.MAX_SAFE_INTEGER)],
        [0, 1, null],
        [2, 0, '-1'],
      ],
    )
  })

  it('give the rows of one client to another generation', async () => {
    await run([...createRecordTables('invoices', 2), ...createRecordTables('invoices', 3)])
    for (const client of ['C1', 'C2']) await copyRows(connection, invoices(client), 2)
    const moved = await copyBetweenGenerations(connection, {
      clientNumber: 'C2',
      stored: 'invoices',
      from: 2,
      to: 3,
    })
    assert.deepEqual(moved, { rows: 3, elements: 3 })
    const [source, target] = [recordTables('invoices', 2), recordTables('invoices', 3)]
    for (const [i, table] of source.all.entries()) {
      const order = table === source.elements ? 'ordinal, position' : 'ordinal'
      const rows = (await rowsOf(table, order)).filter(({ client_number }) => client_number === 'C2')
      assert.deepEqual(await rowsOf(target.all[i] as string, order), rows)
    }
  })

  it('have no index on a text of unlimited length, because an entry of an index has at most 2.7 kB', () => {
    for (const stored of storedNames) {
      const { texts, orders, elements } = indexedFields[stored]
      const { fields, nested } = storedCollections[stored]
      const own = [...texts, ...orders.flatMap((order) => order.map(([name]) => name))]
      const indexed = [
        ...fields.filter(({ name }) => own.includes(name)),
        ...(nested?.fields ?? []).filter(({ name }) => elements.flat().includes(name)),
      ]
      assert.ok(indexed.length > 0)
      for (const { name, type, maxLength } of indexed) {
        if (type === 'text') assert.ok((maxLength ?? Infinity) <= 100, `${stored} ${name}`)
      }
    }
  })

  it('begin every index with the client, or have the client in its keys', async () => {
    const indexes = await ask<{ indexdef: string }>(
      database.url,
      'select indexdef from pg_indexes where schemaname = $1',
      [RECORDS_SCHEMA],
    )
    assert.ok(indexes.length > 5)
    for (const { indexdef } of indexes) assert.match(indexdef, /\(client_number|USING gin \(keys\)/)
  })

  it('are dropped whole', async () => {
    for (const generation of [1, 2, 3]) await run(dropRecordTables('invoices', generation))
    assert.deepEqual(
      await ask(database.url, 'select 1 from pg_tables where schemaname = $1', [RECORDS_SCHEMA]),
      [],
    )
  })
})
