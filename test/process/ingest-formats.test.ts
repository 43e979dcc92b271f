/** Extracts as warehouses write them: compressed, as JSON, in other encodings and folders, and with tables left out. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { extractTables, type TableName } from '../../src/schema/extract-tables.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import {
  assertPublished,
  type Folders,
  makeFolders,
  publishedRecords,
  refresh,
  writeParquetExtract,
} from './ingest-fixture.ts'

type Row = { readonly [column: string]: string | null }

const rowsOf = (table: TableName): readonly Row[] => fixtureExtract[table]

const field = (value: string | null): string =>
  /[",;\t\r\n]|^\s|\s$/.test(value ?? '') ? `"${(value ?? '').replaceAll('"', '""')}"` : (value ?? '')

/** Rows as delimited text. */
function delimited(
  rows: readonly Row[],
  delimiter = ',',
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => field(row[column] ?? null)))]
  return lines.map((values) => `${values.join(delimiter)}\n`).join('')
}

/** Replaces the CSV file of a table by other files. */
async function replace(
  folder: string,
  table: TableName,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  await rm(join(folder, `${table}.csv`))
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), content)
  }
}

async function fixtureIn(t: Parameters<typeof makeFolders>[0]): Promise<Folders> {
  const folders = await makeFolders(t)
  await writeExtract(folders.source, fixtureExtract, 'csv')
  return folders
}

/** Runs statements in a database without extensions. */
async function inDatabase(...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' })
  const connection = await instance.connect()
  for (const sql of statements) await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
}

const allTables = Object.keys(extractTables) as TableName[]

describe('an extract', () => {
  it('may have each table in another format, without any mapping', async (t) => {
    const folders = await fixtureIn(t)
    const { source } = folders
    await replace(source, 'clients', {
      // Two compressed files behind each other are one.
      'clients.csv.gz': Buffer.concat([
        gzipSync('client_number,name\n'),
        gzipSync(delimited(rowsOf('clients')).slice(19)),
      ]),
    })
    await replace(source, 'custom_field_labels', {
      'custom_field_labels.tsv': delimited(rowsOf('custom_field_labels'), '\t'),
    })
    const bookings = Object.groupBy(rowsOf('bookings'), (row) => row.booking_date?.slice(0, 4) ?? '')
    await replace(source, 'bookings', {
      ...Object.fromEntries(
        Object.entries(bookings).map(([year, rows = []]) => [
          `bookings/year=${year}/part-0.csv.zst`,
          zstdCompressSync(delimited(rows).replaceAll(/,(?=[,\n])/g, ',\\N')),
        ]),
      ),
      'bookings/_SUCCESS': '',
      'bookings/.part-0.crc': 'x',
    })
    await replace(source, 'booking_custom_data', {
      'booking_custom_data.json': JSON.stringify(rowsOf('booking_custom_data'), null, 2),
    })
    await replace(source, 'travellers', {
      'travellers.jsonl': rowsOf('travellers')
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    })
    const segments = rowsOf('segments').map((row) => `${JSON.stringify(row)}\n`)
    await replace(source, 'segments', {
      'segments/part-0.ndjson.gz': gzipSync(segments.slice(0, 5).join('')),
      'segments/part-1.ndjson.gz': gzipSync(segments.slice(5).join('')),
    })
    await replace(source, 'payments', {
      'payments.json.gz': gzipSync(`\ufeff\n${JSON.stringify(rowsOf('payments'))}`),
    })
    await replace(source, 'invoice_lines', {
      'invoice_lines.json': rowsOf('invoice_lines')
        .map((row) => JSON.stringify(row))
        .join('\n')
        .concat('\n'),
    })
    const typed = join(folders.data, '..', 'typed')
    await writeParquetExtract(typed, fixtureExtract)
    await rm(join(source, 'invoices.csv'))
    await mkdir(join(source, 'invoices.parquet'))
    await rename(
      join(typed, 'invoices.parquet'),
      join(source, 'invoices.parquet', 'part-00000.snappy.parquet'),
    )
    const { rejects, notes, warnings, invoicesWithoutBooking } = await refresh(folders)
    assert.deepEqual([rejects, notes, warnings], [0, [], []])
    // One names no booking at all, and one a booking of the other client.
    assert.equal(invoicesWithoutBooking, 2)
    await assertPublished(folders, fixtureExtract)
  })

  it('may be in encodings that a mapping states, and a byte order mark counts more', async (t) => {
    const folders = await fixtureIn(t)
    const { source } = folders
    const utf16 = async (table: TableName, mark: string, bigEndian = false) => {
      const text = await readFile(join(source, `${table}.csv`), 'utf8')
      const bytes = Buffer.from(`${mark}${text}`, 'utf16le')
      await writeFile(join(source, `${table}.csv`), bigEndian ? bytes.swap16() : bytes)
    }
    await utf16('bookings', '\ufeff')
    await utf16('custom_field_labels', '\ufeff', true)
    await utf16('segments', '')
    for (const table of [
      'booking_custom_data',
      'travellers',
      'invoices',
      'invoice_lines',
      'payments',
    ] as const) {
      await utf16(table, '\ufeff')
    }
    const name = 'Café “Zürich” – 10 €'
    const bytes = Buffer.from(
      delimited(rowsOf('clients').map((row) => ({ ...row, name })))
        .replaceAll('“', '\x93')
        .replaceAll('”', '\x94')
        .replaceAll('–', '\x96')
        .replaceAll('€', '\x80'),
      'latin1',
    )
    await replace(source, 'clients', { 'clients.csv.gz': gzipSync(bytes) })
    await writeFile(
      join(source, 'tripfolio.sql'),
      `SET VARIABLE encoding = 'UTF-16'; SET VARIABLE encoding_clients = 'cp1252';`,
    )
    const { rejects, warnings } = await refresh(folders)
    assert.deepEqual([rejects, warnings], [0, []])
    const clients = fixtureExtract.clients.map((row) => ({ ...row, name }))
    await assertPublished(folders, { ...fixtureExtract, clients })
  })

  it('may be CSV, JSON or folders of Parquet that DuckDB wrote from Parquet files', async (t) => {
    const folders = await makeFolders(t)
    const { source } = folders
    await writeParquetExtract(source, fixtureExtract)
    await inDatabase(
      ...allTables.map((table, at) => {
        const path = join(source, table)
        if (table === 'bookings') {
          return `COPY (FROM '${path}.parquet') TO '${path}' (FORMAT parquet, PARTITION_BY (client_number))`
        }
        const as = ['.csv', '.csv.gz', '.json', '.json'][at % 4]
        const options = ['HEADER', 'HEADER', 'ARRAY true', 'ARRAY false'][at % 4]
        return `COPY (FROM '${path}.parquet') TO '${path}${as}' (${options})`
      }),
    )
    for (const table of allTables) await rm(join(source, `${table}.parquet`))
    assert.deepEqual((await readdir(join(source, 'bookings'))).sort(), [
      'client_number=C100',
      'client_number=C200',
    ])
    const { rejects } = await refresh(folders)
    assert.equal(rejects, 0)
    await assertPublished(folders, fixtureExtract)
  })

  it('may be CSV that pandas wrote from data frames', async (t) => {
    const folders = await fixtureIn(t)
    for (const table of allTables) {
      const { columns } = extractTables[table]
      const rows = rowsOf(table).map((row, at) => ({
        '': String(at),
        ...Object.fromEntries(
          columns.map(({ column, type }) => [column, asPandas(type, row[column] ?? null)]),
        ),
      }))
      const names = ['', ...columns.map(({ column }) => column)]
      await writeFile(join(folders.source, `${table}.csv`), delimited(rows, ',', names))
    }
    const { rejects } = await refresh(folders)
    assert.equal(rejects, 0)
    await assertPublished(folders, fixtureExtract)
  })

  it('may leave out all tables but clients and bookings, and says so', async (t) => {
    const folders = await fixtureIn(t)
    const kept = ['clients', 'bookings']
    const left = allTables.filter((table) => !kept.includes(table))
    for (const table of left) await rm(join(folders.source, `${table}.csv`))
    const { tables, warnings, notes } = await refresh(folders)
    assert.deepEqual(
      tables.filter(({ rows }) => rows === 0).map(({ table }) => table),
      left,
    )
    assert.deepEqual(
      warnings.map(({ kind, message }) => [kind, message.split(' has no file')[0]]),
      left
        .filter((table) => !['travellers', 'payments'].includes(table))
        .map((table) => ['table-missing', `Table '${table}'`]),
    )
    assert.equal(notes.length, 2)
    const none = Object.fromEntries(left.map((table) => [table, []])) as unknown as ExtractTables
    await assertPublished(folders, { ...fixtureExtract, ...none })
    // With a header only, nobody is warned.
    for (const table of left) {
      await writeFile(join(folders.source, `${table}.csv`), delimited([], ',', columnNames(table)))
    }
    assert.deepEqual((await refresh(folders)).warnings, [])
  })

  it('may name columns by its folders, which other programs leave out of the files', async (t) => {
    const { source, data } = await makeFolders(t)
    // The folders above the extract say nothing about it.
    const folders = { source: join(source, 'client_number=7'), data }
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const segments = Object.groupBy(rowsOf('segments'), (row) => `${row.client_number}`)
    const lines = Object.groupBy(rowsOf('invoice_lines'), (row) =>
      encodeURIComponent(`${row.product_code ?? ''}`),
    )
    const without = (rows: readonly Row[] = [], column: string) =>
      delimited(
        rows,
        ',',
        columnNames('segments').filter((name) => name !== column),
      )
    await replace(
      folders.source,
      'segments',
      Object.fromEntries(
        Object.entries(segments).map(([client, rows]) => [
          `segments/Client_Number=${client}/part.csv`,
          without(rows, 'client_number'),
        ]),
      ),
    )
    await replace(
      folders.source,
      'invoice_lines',
      Object.fromEntries(
        Object.entries(lines).map(([code, rows = []]) => [
          `invoice_lines/product_code=${code === '' ? '__HIVE_DEFAULT_PARTITION__' : code}/a.csv`,
          delimited(
            rows,
            ',',
            columnNames('invoice_lines').filter((name) => name !== 'product_code'),
          ),
        ]),
      ),
    )
    const { rejects, notes } = await refresh(folders)
    assert.deepEqual([rejects, notes], [0, []])
    await assertPublished(folders, fixtureExtract)
  })
})

const columnNames = (table: TableName): readonly string[] =>
  extractTables[table].columns.map(({ column }) => column)

/** A value as `to_csv` writes it: numbers as floats, times with seconds, nothing for NaN. */
function asPandas(type: string, value: string | null): string | null {
  if (value === null || value === '') return null
  if (type === 'boolean') return value === 'true' ? 'True' : 'False'
  if (type === 'date') return `${value} 00:00:00`
  if (type === 'minute') return `${value.replace('T', ' ')}:00`
  if (type !== 'integer' && type !== 'decimal') return value
  return Number.isInteger(Number(value)) ? `${Number(value)}.0` : String(Number(value))
}

describe('what a value may look like', () => {
  it('is read as what it means, and an offset is refused where the setting says so', async (t) => {
    const folders = await fixtureIn(t)
    const changed: Readonly<Record<string, Row>> = {
      ABC123: {
        modified_at: '2026-01-16 09:30:59.999',
        is_ticketed: 'Y',
        booking_date: '2026-01-15T00:00:00.000Z',
      },
      QF0001: { modified_at: '2026-01-01T00:00:10+10:00', is_ticketed: 'T', is_international: 'n' },
      ZZ9: {
        modified_at: '2026-03-01 12:00:00 UTC',
        booking_date: '2026-02-28 00:00:00',
        trip_end_local: '2026-04-05',
      },
    }
    const write = () =>
      writeFile(
        join(folders.source, 'bookings.csv'),
        delimited(
          rowsOf('bookings').map((row) =>
            row.client_number === harbour ? { ...row, ...changed[`${row.record_locator}`] } : row,
          ),
          ',',
          columnNames('bookings'),
        ),
      )
    await write()
    const { rejects } = await refresh(folders)
    assert.equal(rejects, 0)
    const bookings = fixtureExtract.bookings.map((row) =>
      row.record_locator === 'ZZ9' ? { ...row, trip_end_local: '2026-04-05T00:00' } : row,
    )
    await assertPublished(folders, { ...fixtureExtract, bookings })

    const strict = await refresh(folders, { offsetTimes: 'refuse', maxRejectShare: 1, acceptShrink: true })
    const listed = await rejectsOf(folders, strict.snapshot)
    assert.deepEqual(
      listed
        .filter(({ table, field }) => table === 'bookings' && field !== null)
        .map(({ field, value }) => [field, value]),
      [
        ['booking_date', '2026-01-15T00:00:00.000Z'],
        ['modified_at', '2026-01-01T00:00:10+10:00'],
        ['modified_at', '2026-03-01 12:00:00 UTC'],
      ],
    )
    assert.match(
      listed.find(({ field }) => field === 'modified_at')?.message ?? '',
      /setting offsetTimes is refuse/,
    )
  })

  it('is not shown under a label when it is blank', async (t) => {
    const folders = await makeFolders(t)
    const blank = {
      ...fixtureExtract,
      bookings: fixtureExtract.bookings.map((row) => ({ ...row, department: ' \u00a0' })),
      booking_custom_data: fixtureExtract.booking_custom_data.map((row) => ({ ...row, value: '  ' })),
    }
    await writeExtract(folders.source, blank, 'csv')
    await refresh(folders)
    await assertPublished(folders, blank)
    const records = await publishedRecords(folders.data, harbour, 'bookings')
    assert.doesNotMatch(records.join(), /"Department"|"Budget/)
  })
})

type Listed = {
  readonly table: string
  readonly file: string
  readonly row: number
  readonly field: string | null
} & {
  readonly rule: string
  readonly value: string | null
  readonly message: string
}

async function rejectsOf({ data }: Folders, snapshot: string): Promise<readonly Listed[]> {
  const text = await readFile(join(data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the guards of a refresh', () => {
  it('hold for compressed files, arrays and parts: each row set aside has its file and its place there', async (t) => {
    const folders = await fixtureIn(t)
    const { source } = folders
    const clients = delimited(rowsOf('clients'))
    await replace(source, 'clients', { 'clients.csv.zst': zstdCompressSync(`${clients}C400\n`) })
    const segments = rowsOf('segments').map((row) => JSON.stringify(row))
    await replace(source, 'segments', {
      'segments/kind=a/1.json': `[${segments.slice(0, 3).join(',\n')}]`,
      'segments/kind=b/1.json': `[${[...segments.slice(3), '{"client_number":"C100","CLIENT_NUMBER":"C200"}', '{"vendor":"a\nb"}', '7'].join(',')}]`,
    })
    const lines = rowsOf('invoice_lines').map((row) => JSON.stringify(row))
    await replace(source, 'invoice_lines', {
      'invoice_lines-1.ndjson.gz': gzipSync(`${lines.join('\n')}\n`),
      'invoice_lines-2.ndjson.gz': gzipSync(
        Buffer.from('{"company":"AU Travel","invoice_number":"ü"}\n{"company":"AU Travel"', 'latin1'),
      ),
    })
    const { snapshot, warnings } = await refresh(folders, { maxRejectShare: 1 })
    const listed = await rejectsOf(folders, snapshot)
    assert.deepEqual(
      listed.map(({ file, row, rule, message }) => [file, row, rule, message.replace(/^.*?, but /, '')]),
      [
        ['clients.csv.zst', 4, 'line.malformed', 'there are 1 value for 2 columns'],
        [
          'segments/kind=b/1.json',
          segments.length - 2,
          'line.malformed',
          "column 'client_number' occurs twice",
        ],
        [
          'segments/kind=b/1.json',
          segments.length - 1,
          'line.malformed',
          'there is a control character (code 1)',
        ],
        ['invoice_lines-2.ndjson.gz', 1, 'line.malformed', 'it is not valid UTF-8'],
        [
          'segments/kind=b/1.json',
          segments.length,
          'line.malformed',
          'the line is not a JSON object of plain values',
        ],
        ['invoice_lines-2.ndjson.gz', 2, 'line.malformed', 'the line is not a JSON object of plain values'],
      ],
    )
    assert.deepEqual(
      warnings.map(({ kind, message }) => [kind, message.split(':')[0]]),
      [
        ['line-end-missing', 'invoice_lines-2.ndjson.gz'],
        ['encoding-unclear', 'invoice_lines-2.ndjson.gz'],
      ],
    )
  })

  it('hold for a list of files, in which compressed files have their own sizes and the rows inside', async (t) => {
    const folders = await fixtureIn(t)
    const { source } = folders
    await replace(source, 'clients', { 'clients/a=1/1.csv.gz': gzipSync(delimited(rowsOf('clients'))) })
    const list = async (rows: number) => {
      const files = (await readdir(source, { recursive: true })).filter((file) => /\.(csv|gz)$/.test(file))
      const listed = files.map(async (name) => {
        const bytes = await readFile(join(source, name))
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        return { name, bytes: bytes.length, sha256, ...(name.startsWith('clients') ? { rows } : {}) }
      })
      await writeFile(join(source, 'extract.json'), JSON.stringify({ files: await Promise.all(listed) }))
    }
    await list(3)
    await refresh(folders)
    await assertPublished(folders, fixtureExtract)
    await list(4)
    const miscounted = /clients\/a=1\/1.csv.gz .*: expected 4 rows, found 3/
    await assert.rejects(refresh(folders), { code: 'ING116', message: miscounted })
    await list(3)
    await writeFile(join(source, 'segments.jsonl.gz'), gzipSync('\n'))
    await assert.rejects(refresh(folders), {
      code: 'ING116',
      message: /^File segments.jsonl.gz .*not listed/,
    })
    await rm(join(source, 'segments.jsonl.gz'))
    await list(3)
    // Any program may have written a JSON file; one that is read as a table must be listed.
    await writeFile(join(source, 'notes.json'), '{}')
    await rename(join(source, 'segments.csv'), join(source, 'segments.csv.bak'))
    await writeFile(join(source, 'segments.json'), JSON.stringify(rowsOf('segments')))
    await list(3)
    await assert.rejects(refresh(folders), { code: 'ING116', message: /^File segments.json .*not listed/ })
  })

  const gzipped = gzipSync(delimited(rowsOf('clients')))
  const zipped = zstdCompressSync(delimited(rowsOf('clients')))
  const json = JSON.stringify(rowsOf('clients'))
  const csv = delimited(rowsOf('clients'))
  const cases: readonly [
    title: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    code: string,
    message: RegExp,
  ][] = [
    [
      'a gzip file that was cut off',
      { 'clients.csv.gz': gzipped.subarray(0, -5) },
      'ING105',
      /clients.csv.gz .*unexpected end of file/,
    ],
    [
      'a zstd file that was cut off',
      { 'clients.csv.zst': zipped.subarray(0, -5) },
      'ING105',
      /clients.csv.zst .*unexpected end of file/,
    ],
    [
      'text behind a gzip file',
      { 'clients.csv.gz': Buffer.concat([gzipped, Buffer.from('C9,x\n')]) },
      'ING105',
      /incorrect header check/,
    ],
    [
      'text behind a zstd file',
      { 'clients.csv.zst': Buffer.concat([zipped, Buffer.from('C9,x\n')]) },
      'ING105',
      /clients.csv.zst/,
    ],
    [
      'a compressed file of nothing',
      { 'clients.csv.gz': gzipSync('') },
      'ING104',
      /clients.csv.gz .* is empty/,
    ],
    [
      'a compressed JSON file of nothing',
      { 'clients.ndjson.zst': zstdCompressSync('') },
      'ING104',
      /clients.ndjson.zst .* is empty/,
    ],
    [
      'a compressed file under another name',
      { 'clients.csv': gzipped },
      'ING141',
      /clients.csv .* compressed with gzip/,
    ],
    [
      'a spreadsheet under another name',
      { 'clients.csv': Buffer.from('PK\x03\x04 and so on') },
      'ING141',
      /a ZIP archive or a spreadsheet/,
    ],
    [
      'UTF-16 without a mark',
      { 'clients.csv': Buffer.from(csv, 'utf16le') },
      'ING141',
      /clients.csv .* it is UTF-16/,
    ],
    [
      'UTF-16 in JSON',
      { 'clients.json': Buffer.from(`\ufeff${json}`, 'utf16le') },
      'ING141',
      /clients.json .* it is UTF-16/,
    ],
    [
      'a header in Windows-1252',
      { 'clients.csv': Buffer.from(csv.replace('\n', ',größe\n'), 'latin1') },
      'ING108',
      /not valid UTF-8. State its encoding/,
    ],
    [
      'an array that was cut off',
      { 'clients.json': json.slice(0, -9) },
      'ING105',
      /the array is not closed after element 3/,
    ],
    ['an array with text behind it', { 'clients.json': `${json}x` }, 'ING105', /text after the array/],
    [
      'an array with a missing element',
      { 'clients.json': json.replace('},{', '},,{') },
      'ING105',
      /an element is missing after element 1/,
    ],
    [
      'an array that ends with a comma',
      { 'clients.json': json.replace(']', ',]') },
      'ING105',
      /an element is missing after element 3/,
    ],
    [
      'a file beside its compressed copy',
      { 'clients.csv': csv, 'clients.csv.gz': gzipped },
      'ING106',
      /clients.csv, clients.csv.gz/,
    ],
    [
      'a folder beside a file',
      { 'clients.csv': csv, 'clients/1.csv': csv },
      'ING106',
      /clients.csv, clients\/1.csv/,
    ],
    [
      'parts at two depths',
      { 'clients/1.csv': csv, 'clients/year=1/1.csv': csv },
      'ING106',
      /clients\/1.csv, clients\/year=1\/1.csv/,
    ],
    [
      'a folder of another kind',
      { 'clients/1.csv': csv, 'clients/old/1.csv': csv },
      'ING142',
      /folder 'old'/,
    ],
    [
      'a Delta table',
      { 'clients/1.parquet': 'x', 'clients/_delta_log/0.json': '{}' },
      'ING142',
      /Delta table/,
    ],
    ['an unfinished export', { 'clients/1.csv': csv, 'clients/_temporary/0': '' }, 'ING142', /unfinished/],
    [
      'an unknown encoding',
      { 'clients.csv': csv, 'tripfolio.sql': `SET VARIABLE encoding = 'utf-61'` },
      'ING140',
      /'utf-61' is not an encoding/,
    ],
    [
      'the encoding of an unknown table',
      { 'clients.csv': csv, 'tripfolio.sql': `SET VARIABLE encoding_client = 'utf-16'` },
      'ING140',
      /no table 'client'/,
    ],
    [
      'text that is not in the stated encoding',
      {
        'clients.csv': Buffer.from([0x61, 0, 0x0a, 0, 0]),
        'tripfolio.sql': `SET VARIABLE encoding_clients = 'utf-16'`,
      },
      'ING105',
      /clients.csv/,
    ],
  ]
  it('refuse each of these, and the old snapshot stays', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    const current = await readFile(join(folders.data, 'current'), 'utf8')
    for (const [title, files, code, message] of cases) {
      await rm(folders.source, { recursive: true })
      await writeExtract(folders.source, fixtureExtract, 'csv')
      await replace(folders.source, 'clients', files)
      await assert.rejects(refresh(folders), { code, message }, title)
      assert.equal(await readFile(join(folders.data, 'current'), 'utf8'), current)
    }
  })

  it('mask card numbers in names of folders and files, in messages and rejects', async (t) => {
    const folders = await fixtureIn(t)
    const part = 'clients/batch=4111111111111111/1.csv'
    await replace(folders.source, 'clients', { [part]: `${delimited(rowsOf('clients'))}C9\n` })
    const listed = async (bytes: Buffer) => ({
      files: [
        {
          name: part,
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          rows: 1,
        },
      ],
    })
    const list = await listed(await readFile(join(folders.source, part)))
    const check = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    assert.ok(!JSON.stringify(check.tables).includes('4111111111111111'))
    const refused = async () => {
      try {
        await refresh(folders)
      } catch (error) {
        return `${(error as Error).message}`
      }
      return assert.fail('the extract was accepted')
    }
    assert.match(await refused(), /batch=\*+1111/)
    const left = await readdir(join(folders.data, 'last-refusal'))
    for (const file of left) {
      const content = await readFile(join(folders.data, 'last-refusal', file), 'utf8')
      assert.ok(!content.includes('4111111111111111'), file)
    }
    assert.ok(left.length > 0)
    await writeFile(
      join(folders.source, 'extract.json'),
      JSON.stringify({ ...list, files: [{ ...list.files[0], bytes: 1 }] }),
    )
    assert.ok(!(await refused()).includes('4111111111111111'))
  })

  it('hint at a stated encoding that does not fit the text', async (t) => {
    const folders = await fixtureIn(t)
    await replace(folders.source, 'clients', {
      'clients.csv': Buffer.from([0x61, 0, 0x0a, 0, 0]),
      'tripfolio.sql': `SET VARIABLE encoding_clients = 'utf-16'`,
    })
    await assert.rejects(refresh(folders), {
      hint: /encoding that tripfolio.sql states.*Correct the statement/,
    })
  })

  it('name files of formats that are not read, where a table has no others', async (t) => {
    const folders = await fixtureIn(t)
    await replace(folders.source, 'payments', { 'payments/part-0.avro': 'Obj', 'payments/_SUCCESS': '' })
    await replace(folders.source, 'segments', { 'segments.xlsx': 'PK' })
    const { warnings } = await refresh(folders)
    assert.deepEqual(
      warnings.map(({ kind, message }) => [kind, message.split(' cannot be read')[0]]),
      [
        ['table-missing', `Table 'segments' is empty, because segments.xlsx`],
        ['table-missing', `Table 'payments' is empty, because payments/part-0.avro`],
      ],
    )
    const { tables } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    const left = tables.filter(({ found }) => found === 'nothing')
    assert.deepEqual(
      left.map(({ table, unreadable, fits }) => [table, unreadable, fits]),
      [
        ['segments', ['segments.xlsx'], true],
        ['payments', ['payments/part-0.avro'], true],
      ],
    )
    await replace(folders.source, 'bookings', { 'bookings.orc': 'ORC' })
    await assert.rejects(refresh(folders), {
      code: 'ING102',
      message: /expected bookings.csv, .* found only bookings.orc, which cannot be read$/,
    })
  })

  it('refuse folders that are named by card numbers, without showing one', async (t) => {
    const folders = await fixtureIn(t)
    await replace(folders.source, 'payments', {
      'payments/Card_Number=4111111111111111/1.csv': delimited(rowsOf('payments')),
    })
    await assert.rejects(refresh(folders), {
      code: 'ING142',
      message: `Folder payments of table 'payments' cannot be read as a table: names of folders may not hold values of column 'card_number'`,
    })
  })

  it('refuse a table that was left out although it had rows, and tables that belong together', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    await rm(join(folders.source, 'segments.csv'))
    await assert.rejects(refresh(folders), {
      code: 'ING113',
      message: /Table 'segments' has 0 rows and had 12/,
    })
    await rm(join(folders.source, 'invoices.csv'))
    await assert.rejects(refresh(folders), { code: 'ING102', message: /^Table 'invoices' is missing/ })
    await rm(join(folders.source, 'invoice_lines.csv'))
    await assert.rejects(refresh(folders), {
      code: 'ING102',
      message: /Table 'invoices' is missing.*Table 'invoice_lines' is missing/,
    })
  })
})
