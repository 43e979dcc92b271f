/** A broken extract is refused or its bad rows are set aside; either way the reason is written down, and what was published stays. */
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { refreshTooLong } from '../../src/ingest/problems.ts'
import { readCurrentId } from '../../src/snapshot/format/layout.ts'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import {
  type Folders,
  makeFolders,
  overwrite,
  publishedRecords,
  refresh,
  rejectsIn,
  writeParquetExtract,
} from './ingest-fixture.ts'

/** Refreshes from a broken extract after one that was published, and checks that nothing but the reason is left of it. */
async function assertRefused(
  folders: Folders,
  breakIt: (source: string) => Promise<void>,
  expected: { readonly code: string; readonly message: RegExp },
): Promise<void> {
  const { source, data } = folders
  const before = await readCurrentId(data)
  assert.ok(before !== undefined)
  const records = await publishedRecords(data, harbour, 'itineraries')
  await breakIt(source)
  const observed: unknown[] = []
  await assert.rejects(refresh(folders, { observe: (fact) => observed.push(fact) }), expected)
  assert.equal(await readCurrentId(data), before)
  assert.deepEqual(await publishedRecords(data, harbour, 'itineraries'), records)
  assert.equal((await readdir(join(data, 'snapshots'))).at(-1), before)
  assert.deepEqual((await readdir(data)).sort(), [
    'changes',
    'current',
    'last-refusal',
    'refresh.lock',
    'snapshots',
  ])
  const refusal = JSON.parse(await readFile(join(data, 'last-refusal', 'refusal.json'), 'utf8'))
  assert.equal(refusal.code, expected.code)
  assert.match(refusal.message, expected.message)
  assert.partialDeepStrictEqual(observed, [
    { kind: 'refresh-started', source },
    { kind: 'refresh-refused', source, code: expected.code, reason: refusal.message },
  ])
}

const inFile = (file: string, change: (text: string) => string) => async (source: string) =>
  writeFile(join(source, file), change(await readFile(join(source, file), 'utf8')))

describe('a broken CSV extract', () => {
  const cases: readonly [
    title: string,
    breakIt: (source: string) => Promise<void>,
    code: string,
    message: RegExp,
  ][] = [
    ['whose folder is gone', (source) => rm(source, { recursive: true }), 'ING101', /cannot be read: ENOENT/],
    [
      'whose folder is a file',
      async (source) => {
        await rm(source, { recursive: true })
        await writeFile(source, 'client_number,name\n')
      },
      'ING101',
      /Source folder .* cannot be read: ENOTDIR/,
    ],
    [
      'without some of its tables',
      async (source) => {
        await rm(join(source, 'invoice_lines.csv'))
        await rm(join(source, 'clients.csv'))
      },
      'ING102',
      /Table 'clients' is missing.*Table 'invoice_lines' is missing/,
    ],
    [
      'without a required column',
      inFile('bookings.csv', (text) => text.replace('booking_date', 'booked_on')),
      'ING103',
      /Column 'booking_date' of table 'bookings' is missing in bookings.csv/,
    ],
    [
      'with a file of no bytes',
      (source) => truncate(join(source, 'invoices.csv')),
      'ING104',
      /File invoices.csv of table 'invoices' is empty/,
    ],
    [
      'with a link to nowhere',
      async (source) => {
        await rm(join(source, 'invoices.csv'))
        await symlink(join(source, 'elsewhere.csv'), join(source, 'invoices.csv'))
      },
      'ING105',
      /File invoices.csv of table 'invoices' cannot be read: ENOENT/,
    ],
    [
      'with a backup beside a file',
      (source) => copyFile(join(source, 'bookings.csv'), join(source, 'bookings-old.csv')),
      'ING106',
      /Table 'bookings' has files of more than one kind: bookings-old.csv, bookings.csv/,
    ],
    [
      'with a table in two formats',
      (source) => writeFile(join(source, 'clients.ndjson'), '{}\n'),
      'ING106',
      /clients.csv, clients.ndjson/,
    ],
    [
      'with a mapping that is not SQL',
      (source) => writeFile(join(source, 'tripfolio.sql'), 'CREATE VIEW clients AS SELEKT 1'),
      'ING107',
      /tripfolio.sql failed: Parser Error/,
    ],
    [
      'with a mapping that names a column that is not there',
      (source) =>
        writeFile(
          join(source, 'tripfolio.sql'),
          `CREATE VIEW clients AS SELECT clientnumber AS client_number, name FROM 'clients.csv'`,
        ),
      'ING107',
      /Referenced column "clientnumber" not found in FROM clause!\nCandidate bindings: "client_number".*\n\nLINE 1: CREATE VIEW clients AS SELECT clientnumber AS.*\n +\^$/,
    ],
    [
      'with a mapping that lacks a column',
      (source) =>
        writeFile(join(source, 'tripfolio.sql'), 'CREATE VIEW clients AS SELECT 1 AS client_number'),
      'ING103',
      /Column 'name' of table 'clients' is missing in tripfolio.sql \(view clients\)/,
    ],
    ...[
      ['gz', gzipSync],
      ['zst', zstdCompressSync],
    ].map(([extension, compress]): (typeof cases)[number] => [
      `with a .${extension} that was cut off and that a view reads`,
      async (source) => {
        const text = await readFile(join(source, 'bookings.csv'))
        await rm(join(source, 'bookings.csv'))
        await mkdir(join(source, 'export'))
        const bytes = (compress as typeof gzipSync)(text)
        await writeFile(join(source, 'export', `trips.csv.${extension}`), bytes.subarray(0, bytes.length - 8))
        await writeFile(
          join(source, 'tripfolio.sql'),
          `CREATE VIEW bookings AS FROM read_csv('export/*.csv.${extension}', all_varchar = true, ignore_errors = true)`,
        )
      },
      'ING105',
      new RegExp(
        `File export/trips.csv.${extension}, which the mapping may read, cannot be decompressed: unexpected end of file`,
      ),
    ]),
    [
      'with a mapping that fails because of a file that was cut off',
      async (source) => {
        await rm(join(source, 'clients.csv'))
        await writeFile(join(source, 'clients.csv.gz'), gzipSync('client_number,name').subarray(0, 12))
        await writeFile(
          join(source, 'tripfolio.sql'),
          `CREATE VIEW clients AS FROM read_csv('clients.csv.gz')`,
        )
      },
      'ING105',
      /File clients.csv.gz, which the mapping may read, cannot be decompressed/,
    ],
    [
      'with a mapping that fails at a file',
      async (source) => {
        await writeFile(join(source, 'trips.parquet'), 'PAR1')
        await writeFile(
          join(source, 'tripfolio.sql'),
          `CREATE VIEW clients AS FROM 'clients.csv';\nCREATE VIEW bookings AS FROM 'trips.parquet'`,
        )
      },
      'ING107',
      /tripfolio.sql failed at view bookings: .*trips.parquet/,
    ],
    [
      'with a mapping that fails when it is read',
      (source) =>
        writeFile(
          join(source, 'tripfolio.sql'),
          `CREATE VIEW clients AS SELECT client_number, name::INTEGER AS name FROM read_csv('clients.csv')`,
        ),
      'ING105',
      // The place in our own statement, which the database adds, is left out.
      /tripfolio.sql \(view clients\) of table 'clients' cannot be read: Conversion Error: Could not convert string 'Harbour.*column name$/,
    ],
    [
      'in UTF-16',
      async (source) => {
        const text = await readFile(join(source, 'clients.csv'), 'utf8')
        await writeFile(join(source, 'clients.csv'), Buffer.from(`\ufeff${text}`, 'utf16le'))
      },
      'ING141',
      /clients.csv of table 'clients' is not text in UTF-8: it is UTF-16/,
    ],
    [
      'without bookings, where there were some',
      inFile('bookings.csv', (text) => text.slice(0, text.indexOf('\n') + 1)),
      'ING111',
      /The extract has no bookings, and the current snapshot has 12/,
    ],
  ]
  for (const [title, breakIt, code, message] of cases) {
    it(`${title} is refused, and the old snapshot stays`, async (t) => {
      const folders = await makeFolders(t)
      await publishExtract(folders, fixtureExtract)
      await assertRefused(folders, breakIt, { code, message })
    })
  }

  it('with too many rejects names every table that has them, and the old snapshot stays', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    const breakIt = async (source: string) => {
      const latin1 = await readFile(join(source, 'booking_custom_data.csv'), 'utf8')
      await writeFile(join(source, 'booking_custom_data.csv'), Buffer.from(latin1, 'latin1'))
      const changes: Readonly<Record<string, (text: string) => string>> = {
        'dates in a notation of their own': (text) =>
          text.replaceAll(/,(\d{4})-(\d\d)-(\d\d),/g, ',$3/$2/$1,'),
        'an unclosed quote': (text) => text.replace('IC 1', '"IC 1'),
        'the last row twice': (text) => `${text}${text.trimEnd().split('\n').at(-1)}\n`,
        'one malformed line': (text) => `${text}AU Travel,INV-1\n`,
      }
      const files = ['bookings.csv', 'segments.csv', 'invoices.csv', 'invoice_lines.csv']
      for (const [at, change] of Object.values(changes).entries()) {
        await inFile(files[at] as string, change)(source)
      }
    }
    await assertRefused(folders, breakIt, {
      code: 'ING110',
      message: new RegExp(
        [
          /^Table 'bookings' has 12 rejected of 12 rows, more than the allowed share of 0.05/,
          / {2}12 x type.date in booking_date: expected an existing date, YYYY-MM-DD, found '15\/01\/2026' \(bookings.csv, row 1\)/,
          /Table 'booking_custom_data' has \d rejected of 1\d rows, .*/,
          / {2}\d x line.malformed: expected a row, but it is not valid UTF-8: 'C100,ABC123,.*' \(booking_custom_data.csv, row 1\)/,
          /Table 'segments' has 1 rejected of 12 rows, .*/,
          / {2}1 x line.malformed: expected a row, but a quote is never closed: 'C200,ABC123,.*…' \(segments.csv, row 11\)/,
          /Table 'invoices' has 1 rejected of 8 rows, .*/,
          / {2}1 x identity.duplicate: expected each company, invoice_number once, found the same in an earlier row: 'CH Reisen \/ INV-4' \(invoices.csv, row 8\)/,
          /Table 'invoice_lines' has 1 rejected of 8 rows, .*/,
          / {2}1 x line.malformed: expected a row, but there are 2 values for 17 columns: 'AU Travel,INV-1' \(invoice_lines.csv, row 8\)$/,
        ]
          .map(({ source }) => source)
          .join('\n'),
      ),
    })
    const { hint, causes } = JSON.parse(
      await readFile(join(folders.data, 'last-refusal/refusal.json'), 'utf8'),
    )
    const list = join(folders.data, 'last-refusal', 'rejects.ndjson')
    assert.equal(isAbsolute(list), true)
    assert.ok(
      hint.startsWith(`All rejects are listed in ${list}. \`tripfolio ingest --check\` proposes casts. `),
      hint,
    )
    assert.partialDeepStrictEqual(causes, [
      { table: 'bookings', count: 12, rule: 'type.date', field: 'booking_date', value: '15/01/2026', row: 1 },
    ])
    const listed = await rejectsIn(join(folders.data, 'last-refusal'))
    const dates = listed.filter(({ table, rule }) => table === 'bookings' && rule === 'type.date')
    assert.equal(dates.length, 12)
    const rulesOf = (name: string) =>
      listed.filter(({ table, rule }) => table === name && rule !== 'parent.rejected').map(({ rule }) => rule)
    assert.deepEqual(rulesOf('segments'), ['line.malformed'])
    assert.deepEqual(rulesOf('invoices'), ['identity.duplicate'])
    assert.deepEqual(rulesOf('invoice_lines'), ['line.malformed'])
    assert.deepEqual([...new Set(rulesOf('booking_custom_data'))], ['line.malformed'])
  })

  it('without any rows is refused where there were bookings, and published where there were none', async (t) => {
    const folders = await makeFolders(t)
    const emptied: ExtractTables = {
      ...fixtureExtract,
      bookings: [],
      booking_custom_data: [],
      travellers: [],
      segments: [],
      invoices: [],
      invoice_lines: [],
      payments: [],
    }
    await writeExtract(folders.source, emptied, 'csv')
    assert.deepEqual((await refresh(folders)).clients, { total: 3, unchanged: 0 })
    const others = await makeFolders(t)
    await publishExtract(others, fixtureExtract)
    await assertRefused(others, (source) => writeExtract(source, emptied, 'csv'), {
      code: 'ING111',
      message: /no bookings, and the current snapshot has 12/,
    })
  })

  it('that changes while it is read is refused', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const append = () => appendFileSync(join(folders.source, 'invoice_lines.csv'), '\n')
    await assert.rejects(refresh(folders, { onProgress: append }), {
      code: 'ING109',
      message: /invoice_lines.csv of table 'invoice_lines' changed while it was read/,
    })
  })
})

describe('a broken Parquet extract', () => {
  const cases: readonly [title: string, breakIt: (path: string) => Promise<void>][] = [
    ['cut short', async (path) => truncate(path, 600)],
    ['with other bytes in it', (path) => writeFile(path, Buffer.alloc(5000, 'x'))],
    [
      'with a damaged footer',
      async (path) => {
        const bytes = await readFile(path)
        bytes.fill(0xaa, bytes.length - 400, bytes.length - 8)
        await writeFile(path, bytes)
      },
    ],
  ]
  for (const [title, breakIt] of cases) {
    it(`${title} is refused, and the old snapshot stays`, async (t) => {
      const folders = await makeFolders(t)
      await publishExtract({ data: folders.data }, fixtureExtract)
      await writeParquetExtract(folders.source, fixtureExtract)
      await assertRefused(folders, (source) => breakIt(join(source, 'segments.parquet')), {
        code: 'ING105',
        message: /File segments.parquet of table 'segments' cannot be read/,
      })
    })
  }
})

describe('what a refresh writes of the extract', () => {
  for (const umask of [0o000, 0o077]) {
    it(`is readable by owner and group alone under the umask ${umask.toString(8).padStart(3, '0')}`, async (t) => {
      const folders = await makeFolders(t)
      await writeExtract(folders.source, fixtureExtract, 'csv')
      const usual = process.umask(umask)
      t.after(() => process.umask(usual))
      // With one row set aside; then a refusal.
      await inFile('bookings.csv', (text) => `${text}nobody,L1\n`)(folders.source)
      await refresh(folders, { maxRejectShare: 0.5 })
      await rm(join(folders.source, 'clients.csv'))
      await assert.rejects(refresh(folders), { code: 'ING102' })
      const entries = await readdir(folders.data, { recursive: true, withFileTypes: true })
      const seen = entries.filter(({ name }) => name !== 'refresh.lock')
      for (const name of ['rejects.ndjson', 'refusal.json', 'manifest.json', 'last-refusal', 'snapshots']) {
        assert.ok(
          seen.some((entry) => entry.name === name),
          name,
        )
      }
      for (const entry of seen) {
        const path = join(entry.parentPath, entry.name)
        const mode = (await stat(path)).mode & 0o777
        assert.equal(mode.toString(8), entry.isDirectory() ? '750' : '640', path)
      }
      assert.equal((await stat(folders.data)).mode & 0o777, 0o750)
    })
  }
})

describe('a Parquet extract in which a column occurs twice', () => {
  // No writer makes such a file on purpose; a name of the same length is put in place of another one.
  for (const name of ['client_number', 'CLIENT_NUMBER']) {
    it(`is refused, also when the second one is written ${name}`, async (t) => {
      const folders = await makeFolders(t)
      await writeParquetExtract(folders.source, fixtureExtract)
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      const path = join(folders.source, 'clients.parquet')
      await connection.run(
        `COPY (SELECT 'C100' AS client_number, 'Harbour' AS name, 'C200' AS client_numbeX) TO '${path}'`,
      )
      connection.closeSync()
      instance.closeSync()
      const bytes = await readFile(path, 'latin1')
      await writeFile(path, bytes.replaceAll('client_numbeX', name), 'latin1')
      await assert.rejects(refresh(folders), {
        code: 'ING108',
        message: /clients.parquet of table 'clients' cannot be used: column 'client_number' occurs twice/,
      })
    })
  }
})

/** As many bookings as asked for, each with one segment. */
function manyBookings(count: number): ExtractTables {
  const [booking] = fixtureExtract.bookings
  const keys = Array.from({ length: count }, (_, at) => ({
    client_number: harbour,
    record_locator: `L${at}`,
  }))
  return {
    ...fixtureExtract,
    bookings: rowsOf(
      'bookings',
      keys.map((key) => ({ ...booking, ...key })),
    ),
    booking_custom_data: [],
    travellers: [],
    segments: rowsOf(
      'segments',
      keys.map((key) => ({ ...key, segment_number: '1', segment_type: 'AIR' })),
    ),
  }
}

describe('the allowed share of rejects', () => {
  it('is kept to when exactly that many rows are rejected, and rows that go with one do not count', async (t) => {
    const folders = await makeFolders(t)
    const tables = manyBookings(20)
    const segments = tables.segments.map((row, at) => ({
      ...row,
      record_locator: 'L7',
      segment_number: String(at),
    }))
    await writeExtract(folders.source, { ...tables, segments }, 'csv')
    await inFile('bookings.csv', (text) => text.replace(/(L7,.*?)2026-01-15/, '$12026-01-32'))(folders.source)
    const summary = await refresh(folders)
    assert.partialDeepStrictEqual(summary.tables[2], {
      table: 'bookings',
      rows: 20,
      rejects: 1,
      withParent: 0,
    })
    assert.partialDeepStrictEqual(summary.tables[5], {
      table: 'segments',
      rows: 20,
      rejects: 0,
      withParent: 20,
    })
    assert.equal(summary.rejects, 21)
    assert.equal((await publishedRecords(folders.data, harbour, 'bookings')).length, 19)
  })

  it('is exceeded by one more', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, manyBookings(19), 'csv')
    await inFile('bookings.csv', (text) => text.replace(',L7,', ',L7 too long,'))(folders.source)
    await assert.rejects(refresh(folders), { code: 'ING110', message: /1 rejected of 19 rows/ })
  })
})

describe('rejects.ndjson', () => {
  it('names table, file, row, key, field, rule and value of everything set aside', async (t) => {
    const folders = await makeFolders(t)
    const { source, data } = folders
    await writeExtract(source, fixtureExtract, 'csv')
    await overwrite(source, {
      'clients.csv': 'client_number,name\nC100,Harbour\nC200,Limmat\nC300,New\nC100,Again\nC400,\n',
      'custom_field_labels.csv':
        'client_number,field,label\nC100,department,Department\nC999,x,Y\nC400,x,Y\n',
      'segments.csv': [
        'client_number,record_locator,segment_number,segment_type,start_local,end_local,origin,destination,vendor,code,status',
        'C100,ABC123,1,AIR,2026-02-01T06:00,,SYDNEY,SIN,QF,1,HK',
        'C100,ABC123,one,,2026-02-01 6am,,SYD,SIN,QF,1,HK',
        'C100,ABC123,2,AIR,,,,,,,',
        'C100,ABC123',
        'C100,ABC123,2,CAR,,,,,,,',
        'C100,GONE99,1,AIR,,,,,,,',
        'C200,ABC123,1,"RAIL,,,,,,,',
        '',
      ].join('\n'),
      'invoice_lines.csv': [
        'company,invoice_number,line_number,line_type,product_code,description,quantity,unit_price,line_discount_amount,line_amount_ex_gst,line_amount_inc_gst,gst_percent',
        'AU Travel,INV-1,1,FARE,,card 4111 1111 1111 1111,1,"1,5",,,,',
        'AU Travel,INV-1,2,FARE,,,1.000001,99999999999,,,,',
        'AU Travel,INV-9,1,FARE,,,,,,,,',
        '',
      ].join('\n'),
    })
    const { snapshot, tables, rejects } = await refresh(folders, { maxRejectShare: 1 })
    const listed = await rejectsIn(join(data, 'snapshots', snapshot))
    assert.deepEqual(
      listed.map(({ table, row, field, rule }) => [table, row, field, rule]),
      [
        ['segments', 4, null, 'line.malformed'],
        ['segments', 7, null, 'line.malformed'],
        ['clients', 4, null, 'identity.duplicate'],
        ['clients', 5, 'name', 'required'],
        ['custom_field_labels', 2, 'client_number', 'client.unknown'],
        ['custom_field_labels', 3, 'client_number', 'parent.rejected'],
        ['segments', 1, 'origin', 'length'],
        ['segments', 2, 'segment_number', 'type.integer'],
        ['segments', 2, 'segment_type', 'required'],
        ['segments', 2, 'start_local', 'type.minute'],
        ['segments', 5, null, 'identity.duplicate'],
        ['segments', 6, 'record_locator', 'reference.booking'],
        ['invoice_lines', 1, 'unit_price', 'type.decimal'],
        ['invoice_lines', 2, 'quantity', 'decimal.places'],
        ['invoice_lines', 2, 'unit_price', 'decimal.range'],
        ['invoice_lines', 3, 'invoice_number', 'reference.invoice'],
      ],
    )
    assert.deepEqual(listed[6], {
      table: 'segments',
      client: 'C100',
      file: 'segments.csv',
      row: 1,
      key: { client_number: 'C100', record_locator: 'ABC123', segment_number: '1' },
      field: 'origin',
      rule: 'length',
      value: 'SYDNEY',
      message: 'expected at most 3 characters, found 6',
    })
    assert.equal(listed[1]?.value, 'C200,ABC123,1,"RAIL,,,,,,,')
    assert.equal(listed[11]?.message, 'expected a row of table bookings, found none for C100 / GONE99')
    assert.deepEqual(
      tables.map(({ table, rows, rejects, withParent }) => [table, rows, rejects, withParent]),
      [
        ['clients', 5, 2, 0],
        ['custom_field_labels', 3, 1, 1],
        ['bookings', 12, 0, 0],
        ['booking_custom_data', 14, 0, 0],
        ['travellers', 3, 0, 0],
        ['segments', 7, 6, 0],
        ['invoices', 7, 0, 0],
        ['invoice_lines', 3, 3, 0],
        ['payments', 3, 0, 0],
      ],
    )
    assert.equal(rejects, 13)
    const [booking] = (await publishedRecords(data, harbour, 'itineraries')).filter((text) =>
      text.includes('ABC123'),
    )
    assert.deepEqual(
      JSON.parse(booking ?? '').segments.map((segment: { segmentNumber: number }) => segment.segmentNumber),
      [2],
    )
  })

  it('gives a faulty row that repeats another one the reason of its own fault, and keeps the one that is fine', async (t) => {
    const folders = await makeFolders(t)
    const { source, data } = folders
    await writeExtract(source, fixtureExtract, 'csv')
    await overwrite(source, {
      'segments.csv': [
        'client_number,record_locator,segment_number,segment_type,start_local,end_local,origin,destination,vendor,code,status',
        'C100,ABC123,1,AIR,,,SYDNEY,,,faulty before,',
        'C100,ABC123,1,AIR,,,,,,kept,',
        'C100,ABC123,1,AIR,,,MELBOURNE,,,faulty after,',
        'C100,ABC123,1,AIR,,,,,,repeated,',
        '',
      ].join('\n'),
    })
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const listed = await rejectsIn(join(data, 'snapshots', snapshot))
    assert.deepEqual(
      listed.map(({ row, field, rule, value }) => [row, field, rule, value]),
      [
        [1, 'origin', 'length', 'SYDNEY'],
        [3, 'origin', 'length', 'MELBOURNE'],
        [4, null, 'identity.duplicate', null],
      ],
    )
    const [booking = ''] = (await publishedRecords(data, harbour, 'itineraries')).filter((text) =>
      text.includes('"ABC123"'),
    )
    assert.deepEqual(
      JSON.parse(booking).segments.map(({ code }: { readonly code: string }) => code),
      ['kept'],
    )
  })

  it('gives row numbers of the file they are in, part by part', async (t) => {
    const folders = await makeFolders(t)
    const { source, data } = folders
    await writeExtract(source, fixtureExtract, 'ndjson')
    await rm(join(source, 'clients.ndjson'))
    await mkdir(join(source, 'clients'))
    const lines = ['C100', 'C200', 'C300'].map((number) => `{"client_number":"${number}","name":"x"}\n`)
    await overwrite(join(source, 'clients'), {
      '1.ndjson': `${lines[0]}{"client_number":\n\u0001\n`,
      '2.ndjson': `${lines[1]}${lines[2]}{"client_number":"C4","name":{}}\n{"client_number":"C5"}\n`,
    })
    await overwrite(source, { 'bookings.ndjson': await readFile(join(source, 'bookings.ndjson'), 'utf8') })
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const listed = await rejectsIn(join(data, 'snapshots', snapshot))
    assert.deepEqual(
      listed.map(({ file, row, rule }) => [file, row, rule]),
      [
        ['clients/1.ndjson', 3, 'line.malformed'],
        ['clients/1.ndjson', 2, 'line.malformed'],
        ['clients/2.ndjson', 3, 'line.malformed'],
        ['clients/2.ndjson', 4, 'required'],
      ],
    )
  })
})

describe('a refresh that is stopped', () => {
  for (const stage of ['read', 'validate', 'build'] as const) {
    it(`during ${stage} leaves everything as it was`, async (t) => {
      const folders = await makeFolders(t)
      await publishExtract(folders, fixtureExtract)
      const snapshot = await readCurrentId(folders.data)
      const stop = new AbortController()
      const onProgress = (progress: { readonly stage: string }) => {
        if (progress.stage === stage) stop.abort()
      }
      await assert.rejects(refresh(folders, { onProgress, signal: stop.signal }), { code: 'ING122' })
      assert.equal(await readCurrentId(folders.data), snapshot)
      assert.deepEqual((await readdir(folders.data)).sort(), [
        'changes',
        'current',
        'refresh.lock',
        'snapshots',
      ])
      assert.deepEqual(await readdir(join(folders.data, 'snapshots')), [snapshot])
    })
  }

  it('by its time limit says so', async (t) => {
    const folders = await makeFolders(t)
    const signal = AbortSignal.abort(refreshTooLong(1))
    await assert.rejects(refresh(folders, { signal }), { code: 'ING123' })
  })

  it('by an unexpected failure says what it was', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const onProgress = () => {
      throw new TypeError('a defect\nwith details')
    }
    await assert.rejects(refresh(folders, { onProgress }), {
      code: 'ING129',
      message: 'The refresh failed: a defect',
    })
  })

  it('by a folder that cannot be written while it is built leaves everything as it was', async (t) => {
    const folders = await makeFolders(t)
    await publishExtract(folders, fixtureExtract)
    const snapshot = await readCurrentId(folders.data)
    const drafts = join(folders.data, 'snapshots')
    const onProgress = ({ stage }: { readonly stage: string }) => {
      const draft = readdirSync(drafts).find((name) => name.startsWith('.draft'))
      if (stage !== 'build' || draft === undefined) return
      rmSync(join(drafts, draft), { recursive: true, force: true })
      writeFileSync(join(drafts, draft), 'a file where a folder should be')
    }
    await assert.rejects(refresh(folders, { onProgress }), { code: 'SNP201', message: /is not a folder/ })
    assert.equal(await readCurrentId(folders.data), snapshot)
    assert.deepEqual(await readdir(drafts), [snapshot])
  })
})
