import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import type { RecordFormat } from '../../../schema/record-formats.ts'
import type { GroupColumn, GroupSet } from '../../group-set.ts'
import { joined } from '../../testing/joined-chunks.ts'
import { writableGroups } from './write-groups.ts'

const setOf = (columns: readonly GroupColumn[]): GroupSet => {
  const count = columns[0]?.values.length ?? 0
  return { dataset: 'invoices', clientNumber: 'C1', total: count, count, columns }
}

const LARGE = 12_345_678_901_234_567_890n

/** A column of each type, with a null in each that can be null. */
const everyType = setOf([
  { name: "customDataFields['a']", type: 'text', values: ['=1+1', 'x,"y"', null] },
  { name: '__proto__', type: 'date', values: [0, -719_528, null] },
  { name: 'minute', type: 'minute', values: [61, 2_932_897 * 1440 - 1, null] },
  { name: 'is', type: 'boolean', values: [true, false, true] },
  { name: 'whole', type: 'integer', values: [1, -1, null] },
  { name: 'amount', type: 'decimal', values: [1, -150_000, null] },
  { name: 'n', type: 'long', values: [3, LARGE / 10n, 0] },
  { name: '=sum', type: 'long-decimal', values: [-1, LARGE, null] },
])

const bytes = (groups: GroupSet, format: RecordFormat, chunkBytes = 1 << 16) =>
  joined(writableGroups(groups).chunks(format, chunkBytes))

describe('groups are written', () => {
  const lines = [
    `{"customDataFields['a']":"=1+1","__proto__":"1970-01-01","minute":"1970-01-01T01:01","is":true,"whole":1,"amount":0.00001,"n":3,"=sum":-0.00001}`,
    `{"customDataFields['a']":"x,\\"y\\"","__proto__":"0000-01-01","minute":"9999-12-31T23:59","is":false,"whole":-1,"amount":-1.5,"n":1234567890123456789,"=sum":123456789012345.6789}`,
    `{"customDataFields['a']":null,"__proto__":null,"minute":null,"is":true,"whole":null,"amount":null,"n":0,"=sum":null}`,
  ]

  it('as JSON, with all digits', async () => {
    assert.equal(String(await bytes(everyType, 'json')), lines.join(','))
    assert.equal(String(await bytes(everyType, 'ndjson')), lines.map((line) => `${line}\n`).join(''))
  })

  it('as CSV, where no cell is a formula', async () => {
    assert.deepEqual(String(await bytes(everyType, 'csv')).split('\r\n'), [
      "\ufeffcustomDataFields['a'],__proto__,minute,is,whole,amount,n,'=sum",
      "'=1+1,1970-01-01,1970-01-01T01:01,true,1,0.00001,3,-0.00001",
      '"x,""y""",0000-01-01,9999-12-31T23:59,false,-1,-1.5,1234567890123456789,123456789012345.6789',
      ',,,true,,,0,',
      '',
    ])
  })

  it('as CSV without an empty line, which readers leave out', async () => {
    const values = ['Sales', null, '']
    assert.equal(
      String(await bytes(setOf([{ name: 'department', type: 'text', values }]), 'csv')),
      '\ufeffdepartment\r\nSales\r\n""\r\n""\r\n',
    )
    const least = setOf([{ name: 'least', type: 'decimal', values: [null] }])
    assert.equal(String(await bytes(least, 'csv')), '\ufeffleast\r\n""\r\n')
  })

  it('as Arrow, with the types of fields, 64-bit integers and decimals of 38 digits', async () => {
    const table = tableFromIPC(await bytes(everyType, 'arrow'))
    assert.deepEqual(
      table.schema.fields.map(({ name, type }) => [name, String(type)]),
      [
        ["customDataFields['a']", 'Utf8'],
        ['__proto__', 'Date32<DAY>'],
        ['minute', 'Timestamp<MILLISECOND>'],
        ['is', 'Bool'],
        ['whole', 'Int32'],
        ['amount', 'Decimal[18e+5]'],
        ['n', 'Int64'],
        ['=sum', 'Decimal[38e+5]'],
      ],
    )
    const column = (name: string) => Array.from(table.getChild(name) ?? [])
    assert.deepEqual(column('n'), [3n, LARGE / 10n, 0n])
    assert.deepEqual(column('whole'), [1, -1, null])
    const sums = column('=sum').map((words) => words && BigInt.asIntN(128, wordsOf(words as Uint32Array)))
    assert.deepEqual(sums, [-1n, LARGE, null])
    assert.deepEqual(table.getChild('=sum')?.nullCount, 1)
    assert.equal(table.schema.metadata.get('tripfolio.list'), 'invoices')
  })

  const none = setOf([{ name: 'n', type: 'long', values: [] }])
  const empty: readonly (readonly [RecordFormat, string])[] = [
    ['json', ''],
    ['ndjson', ''],
    ['csv', '\ufeffn\r\n'],
  ]
  for (const [format, written] of empty) {
    it(`as ${format} where there are none`, async () =>
      assert.equal(String(await bytes(none, format)), written))
  }

  it('as Arrow where there are none', async () => {
    const table = tableFromIPC(await bytes(none, 'arrow'))
    assert.deepEqual([table.numRows, table.schema.fields.length], [0, 1])
  })

  it('in chunks of about the size, which together are the same', async () => {
    for (const format of ['json', 'ndjson', 'csv', 'arrow'] as const) {
      const whole = await bytes(everyType, format)
      assert.ok(whole.equals(await bytes(everyType, format, 100)))
      const sizes = [...(writableGroups(everyType).chunks(format, 100) as Iterable<Uint8Array>)]
      assert.ok(sizes.length > 1)
    }
  })

  it('so that DuckDB reads the same values from CSV and NDJSON', async (t) => {
    const read = await openReader(t)
    const groups = setOf([
      { name: 'label', type: 'text', values: ['a,"b"', 'Straße\n', null] },
      { name: 'day', type: 'date', values: [20_000, null, 20_001] },
      { name: 'n', type: 'long', values: [1, LARGE / 10n, 3] },
      { name: 'sum', type: 'long-decimal', values: [LARGE, -LARGE, null] },
    ])
    const expected = [
      ['a,"b"', '2024-10-04', '1', '123456789012345.67890'],
      ['Straße\n', null, '1234567890123456789', '-123456789012345.67890'],
      [null, '2024-10-05', '3', null],
    ]
    const types = `{label: 'VARCHAR', day: 'DATE', n: 'BIGINT', sum: 'DECIMAL(38, 5)'}`
    const csv = await read(
      await bytes(groups, 'csv'),
      (file) => `read_csv('${file}', columns = ${types}, header = true, new_line = '\\r\\n')`,
    )
    assert.deepEqual(csv, expected)
    const ndjson = await read(
      await bytes(groups, 'ndjson'),
      (file) => `read_ndjson('${file}', columns = ${types})`,
    )
    // DuckDB reads numbers of JSON as doubles before it makes decimals of them.
    assert.deepEqual(
      ndjson.map((row) => row.slice(0, 3)),
      expected.map((row) => row.slice(0, 3)),
    )
  })
})

const wordsOf = (words: Uint32Array): bigint =>
  words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)

async function openReader(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-groups-'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  t.after(async () => {
    connection.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true })
  })
  return async (body: Uint8Array, table: (file: string) => string) => {
    const file = join(folder, 'body')
    await writeFile(file, body)
    const rows = await connection.runAndReadAll(`select * from ${table(file)}`)
    return rows.getRowsJson().map((row) => row.map((value) => (value === null ? null : String(value))))
  }
}
