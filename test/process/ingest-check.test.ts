/** `tripfolio ingest --check`: says whether an extract fits and what would help, drafts a mapping, and changes nothing. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkExtract, type ExtractCheck } from '../../src/ingest/check/check-extract.ts'
import { writeMapping } from '../../src/ingest/check/write-mapping.ts'
import { mappingWithoutCheck, refreshTooLong } from '../../src/ingest/problems.ts'
import { extractTables, type TableName } from '../../src/schema/extract-tables.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { windows1252, windows1252Extract } from '../fixtures/windows-1252.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import {
  endlessMapping,
  makeFolders,
  overwrite,
  publishedRecords,
  refresh,
  writeParquetExtract,
} from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

type Cells = readonly (readonly (string | null)[])[]
type Written = { readonly table: TableName; readonly names: readonly string[]; readonly rows: Cells }

/** How a warehouse writes an extract. */
type Notation = {
  readonly title: string
  readonly name: (column: string) => string
  readonly date: (year: string, month: string, day: string) => string
  readonly minute: (date: string, time: string) => string
  readonly boolean: (value: boolean) => string
  readonly decimal: (value: string) => string
  readonly write: (folder: string, table: Written) => Promise<void>
}

const words = (column: string): readonly string[] =>
  column.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))

const quoted = (text: string | null): string => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)
const lines = (names: readonly string[], rows: Cells, delimiter: string): string =>
  [names, ...rows].map((row) => `${row.map(quoted).join(delimiter)}\r\n`).join('')

const notations: readonly Notation[] = [
  {
    title: 'by a European spreadsheet, in parts with names of their own',
    name: (column) => words(column).join(''),
    date: (year, month, day) => `${day}/${month}/${year}`,
    minute: (date, time) => `${date} ${time}:00`,
    boolean: (value) => (value ? 'Y' : 'N'),
    decimal: (value) => value.replace('.', ','),
    async write(folder, { table, names, rows }) {
      const write = (file: string, part: Cells) =>
        writeFile(join(folder, file), windows1252(lines(names, part, ';')))
      if (table !== 'bookings') return write(`${words(table).join('')}.csv`, rows)
      await write('PNR_2026_01.csv', rows.slice(0, 5))
      await write('PNR_2026_02.csv', rows.slice(5))
    },
  },
  {
    title: 'by an American one, with tabs',
    name: (column) => words(column).join(' '),
    date: (year, month, day) => `${Number(month)}/${Number(day)}/${year}`,
    minute: (date, time) => {
      const hour = Number(time.slice(0, 2))
      return `${date} ${hour % 12 || 12}${time.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`
    },
    boolean: (value) => (value ? 'Yes' : 'No'),
    decimal: (value) => value.replace(/\B(?=(\d{3})+(?!\d))(?<!\..*)/g, ','),
    write: (folder, { table, names, rows }) =>
      writeFile(join(folder, `${table}.txt`), lines(names, rows, '\t')),
  },
  {
    title: 'as an array of JSON objects with seconds in its times',
    name: (column) => column.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase()),
    date: (year, month, day) => `${year}${month}${day}`,
    minute: (date, time) => `${date.replace(/(....)(..)(..)/, '$1-$2-$3')} ${time}:59.123+10:00`,
    boolean: (value) => (value ? 'YES' : 'NO'),
    decimal: (value) => value,
    write: (folder, { table, names, rows }) => {
      const objects = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
      return writeFile(join(folder, `${table}.json`), JSON.stringify(objects))
    },
  },
]

async function writeIn(folder: string, notation: Notation): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { name: table, columns } of Object.values(extractTables)) {
    const rows: readonly { readonly [column: string]: string | null }[] = windows1252Extract[table]
    const cells = rows.map((row) =>
      columns.map(({ column, type }) => {
        const value = row[column] ?? null
        if (value === null || value === '') return null
        const [, year = '', month = '', day = '', time = ''] =
          /^(\d{4})-(\d\d)-(\d\d)(?:T(.*))?$/.exec(value) ?? []
        if (type === 'date') return notation.date(year, month, day)
        if (type === 'minute') return notation.minute(notation.date(year, month, day), time)
        if (type === 'boolean') return notation.boolean(value === 'true')
        return type === 'decimal' ? notation.decimal(value) : value
      }),
    )
    const names = columns.map(({ column }) => notation.name(column))
    await notation.write(folder, { table, names, rows: cells })
  }
}

const check = (source: string): Promise<ExtractCheck> => checkExtract({ source, maxRejectShare: 0.05 })

const allRecords = async (data: string) =>
  Promise.all(
    [harbour, limmat].flatMap((client) =>
      (['itineraries', 'invoices'] as const).map((list) => publishedRecords(data, client, list, 1)),
    ),
  )

describe('an extract that was written', () => {
  for (const notation of notations) {
    it(`${notation.title} does not fit, and gives the same records with the mapping that a check drafts`, async (t) => {
      const [plain, folders] = [await makeFolders(t), await makeFolders(t)]
      await publishExtract(plain, windows1252Extract)
      await writeIn(folders.source, notation)
      const before = await readdir(folders.source)
      const found = await check(folders.source)
      assert.equal(found.fits, false)
      assert.deepEqual(await readdir(folders.source), before)
      await writeFile(join(folders.source, 'tripfolio.sql'), found.mapping ?? '')
      const again = await check(folders.source)
      assert.deepEqual([again.fits, again.mapping], [true, null], JSON.stringify(again.tables))
      assert.equal((await refresh(folders)).rejects, 0)
      assert.deepEqual(await allRecords(folders.data), await allRecords(plain.data))
    })
  }
})

/** Replaces files of the fixture, and checks it by the command. */
async function checkBy(
  source: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  ...options: readonly string[]
) {
  await writeExtract(source, fixtureExtract, 'csv')
  await overwrite(source, files)
  return runCommand(['ingest', '--check', '--source', source, ...options])
}

describe('tripfolio ingest --check', () => {
  it('ends with 0 when the extract fits, and writes nothing', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    const states = async () =>
      Promise.all(
        (await readdir(source)).map(async (file) => [file, (await stat(join(source, file))).mtimeMs]),
      )
    const before = await states()
    const { code, stdout, stderr } = await runCommand([
      'ingest',
      '--check',
      '--source',
      source,
      '--data',
      data,
    ])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^bookings: fits\n {2}bookings\.csv: 12 rows, 24 of 24 columns$/m)
    assert.match(stdout, /\nThe extract fits\.\n$/)
    assert.deepEqual(await states(), before)
    assert.equal(existsSync(data), false)
  })

  it('accepts NDJSON and Parquet, and tables without rows', async (t) => {
    const empty = { ...fixtureExtract, custom_field_labels: [], travellers: [], payments: [] }
    const [csv, ndjson, parquet] = [await makeFolders(t), await makeFolders(t), await makeFolders(t)]
    await writeExtract(csv.source, empty, 'csv')
    await writeExtract(ndjson.source, empty, 'ndjson')
    await writeParquetExtract(parquet.source, fixtureExtract)
    for (const { source } of [csv, ndjson, parquet]) {
      const { fits, tables, mapping } = await check(source)
      assert.deepEqual([fits, mapping], [true, null], JSON.stringify(tables))
    }
  })

  it('ends with 1 when it does not fit, and says for each table what is there, what is not, and what would help', async (t) => {
    const { source } = await makeFolders(t)
    const { code, stdout, stderr } = await checkBy(source, {
      'clients.csv': 'ClientNumber;Region;ClientName\nC100;N;Harbour\nC200;N;Limmat\nC300;S;New\n',
      'travellers.csv': 'client_number,record_locator\nC100,ABC123\n',
      'payments.csv': 'AU Travel,INV-1,12.5\nAU Travel,INV-2,13.5\n',
      'booking_custom_data.csv': 'client_number,record_locator,field\nC100,ABC123,x\n',
      'segments.csv': [
        'client_number,record_locator,segment_number,segment_type,start_local,end_local,origin,destination,vendor,code,status',
        'C100,ABC123,1,AIR,01/02/2026 06:00,,SYD,SIN,QF,1,HK',
        'C100,ABC123,2,AIR,02/02/2026 06:00,,SYD,SIN,QF,1,HK',
        'C100,ABC123,3,AIR,02/02/2026 06:00,,SYD,SIN,QF,1,HK',
        'C100,ABC123,4,AIR,31/02/2026 06:00,,SYD,SIN,QF,1,HK',
        'C100,ABC123,5,AIR,28/02/2026 06:00,,SYDNEY,SIN,QF,1,HK',
        '',
      ].join('\n'),
    })
    assert.deepEqual([code, stderr], [1, ''])
    const [, report = ''] = stdout.split(/\n\n/)
    assert.deepEqual(report.split('\n').slice(0, 5), [
      'clients: does not fit',
      '  clients.csv: 3 rows, 0 of 2 columns',
      '  in another spelling: client_number ("ClientNumber")',
      '  column name is missing in clients.csv: the nearest name is "ClientName"',
      '  ignored: Region, ClientName',
    ])
    assert.match(
      report,
      /\nbooking_custom_data: does not fit\n.*\n {2}column value is missing in booking_custom_data.csv\n/,
    )
    assert.match(
      report,
      /\npayments: does not fit\n.*1 row, 0 of 9 columns\n {2}none of the names in its first line/,
    )
    assert.match(report, /\ntravellers: fits\n.*\n {2}optional and not found: name, department\n/)
    assert.ok(
      report.includes(
        [
          'segments: does not fit',
          '  segments.csv: 5 rows, 11 of 11 columns',
          "  start_local does not fit in 5 rows (type.minute): '01/02/2026 06:00', '02/02/2026 06:00', '31/02/2026 06:00'",
          `    cast: strptime("start_local", '%d/%m/%Y %H:%M')`,
          '    note: some values still do not fit',
          "  origin does not fit in 1 row (length): 'SYDNEY'",
          '    cast: left("origin", 3)',
          '    note: cuts the text',
          '    the drafted mapping leaves this to you',
          '  5 of 5 rows would be set aside',
        ].join('\n'),
      ),
      report,
    )
    assert.match(stdout, /\nThe extract does not fit: a refresh would refuse it/)
    assert.match(stdout, /\nCREATE VIEW clients AS SELECT\n {2}"ClientNumber" AS client_number,\n/)
    assert.doesNotMatch(stdout, /CREATE VIEW bookings/)
  })

  it('leaves a guess to the operator: the drafted mapping is refused until it is made', async (t) => {
    const folders = await makeFolders(t)
    const { stdout } = await checkBy(
      folders.source,
      { 'clients.csv': 'client_number,ClientName\nC100,Harbour\nC200,Limmat\nC300,New\n' },
      '--json',
    )
    const { fits, tables, mapping } = JSON.parse(stdout)
    assert.equal(fits, false)
    assert.deepEqual(tables[0].missing, [
      { column: 'name', required: true, file: 'clients.csv', nearest: 'ClientName', sameName: false },
    ])
    await overwrite(folders.source, { 'tripfolio.sql': mapping })
    await assert.rejects(refresh(folders), { code: 'ING103', message: /Column 'name' of table 'clients'/ })
    await overwrite(folders.source, {
      'tripfolio.sql': mapping.replace('-- "ClientName" AS', '"ClientName" AS'),
    })
    assert.equal((await refresh(folders)).clients.total, 3)
  })

  it('does not decide between two readings: the drafted mapping is refused until somebody does', async (t) => {
    const folders = await makeFolders(t)
    const segments = `client_number,record_locator,segment_number,segment_type,start_local,end_local,origin,destination,vendor,code,status
C100,ABC123,1,AIR,2/3/2026 06:00,,SYDNEY,SIN,QF,1,HK\n`
    await checkBy(folders.source, { 'segments.csv': segments })
    const { mapping } = await check(folders.source)
    const undecided = [
      `  -- minute_in("start_local", '%d/%m/%Y %H:%M') AS start_local,`,
      `  -- minute_in("start_local", '%m/%d/%Y %H:%M') AS start_local,`,
      '  start_local,',
    ].join('\n')
    assert.ok(mapping?.includes(undecided), mapping ?? '')
    assert.ok(mapping?.includes('  -- left("origin", 3) AS origin,\n  origin,\n'), mapping ?? '')
    await overwrite(folders.source, { 'tripfolio.sql': mapping ?? '' })
    await assert.rejects(refresh(folders), { code: 'ING110', message: /type.minute in start_local/ })
    const decided = mapping?.replace(
      undecided,
      undecided.replace('  -- ', '  ').replace(/\n {2}start_local,$/, ''),
    )
    await overwrite(folders.source, { 'tripfolio.sql': decided ?? '' })
    await assert.rejects(refresh(folders), {
      code: 'ING110',
      message: /rows, more than .*\n {2}1 x length in origin.*$/,
    })
  })

  it('reports files that a refresh would not read as they are', async (t) => {
    const { source } = await makeFolders(t)
    const { code, stdout } = await checkBy(source, {
      'clients-old.csv': 'client_number,name\nC8,x\n',
      'custom_field_labels.csv': '',
      'booking_custom_data.csv': Buffer.from(
        'client_number,record_locator,field,value\nC1,L1,x,\x80 M\xfcller\nC1,L2,x,y\n',
        'latin1',
      ),
      'travellers.csv': Buffer.from('\ufeffclient_number;record_locator\nC1;L1\n', 'utf16le'),
      'segments.csv':
        'client_number,record_locator,segment_number,segment_type\nC1,L1,1,AIR\nC2\nC3,L1,1,AIR\n',
    })
    assert.equal(code, 1)
    const said = [
      /^clients: does not fit\n.*\n {2}Table 'clients' has files of more than one kind: clients-old.csv, clients.csv$/m,
      /^custom_field_labels: does not fit\n.*\n {2}custom_field_labels.csv is empty: it has 0 bytes$/m,
      /^booking_custom_data: does not fit\n.*\n {2}the text is not UTF-8: it was read as windows-1252$/m,
      /^travellers: does not fit\n {2}travellers.csv: 1 row, .*\n {2}the text is not UTF-8: it was read as utf-16le$/m,
      /^segments: does not fit\n {2}segments.csv: 2 rows, .*\n {2}some lines are malformed and were left out/m,
    ]
    for (const pattern of said) assert.match(stdout, pattern)
  })

  it('drafts the encoding of files that are not UTF-8 and need nothing else', async (t) => {
    const folders = await makeFolders(t)
    await checkBy(folders.source, {
      'clients.csv': Buffer.from('client_number,name\nC100,Z\xfcrich \x80\nC200,b\nC300,c\n', 'latin1'),
      'travellers.csv': Buffer.from('client_number,record_locator,name\nC100,ABC123,x\n', 'utf16le'),
    })
    const { fits, mapping } = await check(folders.source)
    assert.equal(fits, false)
    assert.deepEqual(mapping?.match(/^SET .*$/gm), [
      `SET VARIABLE encoding_clients = 'windows-1252';`,
      `SET VARIABLE encoding_travellers = 'utf-16le';`,
    ])
    await overwrite(folders.source, { 'tripfolio.sql': mapping ?? '' })
    assert.partialDeepStrictEqual(await check(folders.source), { fits: true, mapping: null })
    assert.equal((await refresh(folders)).rejects, 0)
  })

  it('drafts a view that reads nulls and names of folders as a refresh does', async (t) => {
    const { source } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await rm(join(source, 'segments.csv'))
    await mkdir(join(source, 'segments/client_number=007'), { recursive: true })
    const [names, row] = [
      'record_locator,segment_number,segment_type,start_local,end_local,origin,destination,vendor,code,status',
      'ABC123,1,AIR,31/01/2026 06:00,\\N,SYD,SIN,QF,1,HK',
    ]
    await overwrite(source, { 'segments/client_number=007/a.csv': `${names}\n${row}\n` })
    const { mapping } = await check(source)
    await overwrite(source, {
      'tripfolio.sql': `${mapping}
      CREATE VIEW clients AS SELECT min(client_number) AS client_number, 'x' AS name FROM segments;`,
    })
    const { tables, fits } = await check(source)
    assert.deepEqual([fits, tables.flatMap(({ values }) => values)], [true, []], mapping ?? '')
    await overwrite(source, {
      'tripfolio.sql': `${mapping}
      CREATE VIEW clients AS SELECT error(client_number)::VARCHAR AS client_number, 'x' AS name FROM segments;`,
    })
    const [clients] = (await check(source)).tables
    assert.match(clients?.faults.join() ?? '', /007/)
  })

  it('reports the parts that lack a column', async (t) => {
    const { source } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await rm(join(source, 'clients.csv'))
    await overwrite(source, {
      'clients-1.csv': 'client_number,name\nC100,x\n',
      'clients-2.csv': 'client_number\nC200\n',
    })
    const { tables } = await check(source)
    assert.partialDeepStrictEqual(tables[0], {
      fits: false,
      files: ['clients-1.csv', 'clients-2.csv'],
      missing: [{ column: 'name', file: 'clients-2.csv' }],
    })
  })

  it('reports a table without a file, and none for an optional one', async (t) => {
    const { source } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await rm(join(source, 'payments.csv'))
    assert.deepEqual([(await check(source)).fits, (await check(source)).mapping], [true, null])
    await rm(join(source, 'bookings.csv'))
    const { fits, mapping } = await check(source)
    assert.equal(fits, false)
    assert.match(mapping ?? '', /^-- CREATE VIEW bookings AS SELECT \.\.\. FROM '\.\.\.';$/m)
  })

  it('shows no card number', async (t) => {
    const { source } = await makeFolders(t)
    const number = '4111 1111 1111 1111'
    const { code, stdout } = await checkBy(source, {
      'payments.csv': `company,invoice_number,CardNumber,received_date,amount\nAU Travel,INV-1,${number},${number},${number}\n`,
      'clients.csv': `${number},x\nC1,y\n`,
    })
    assert.equal(code, 1)
    assert.match(stdout, /received_date does not fit in 1 row \(type\.date\): '[* ]+1111'/)
    assert.ok(!stdout.includes(number) && !stdout.includes(number.replaceAll(' ', '')))
  })

  it('checks the views of a mapping, and shows the whole message of a view that fails', async (t) => {
    const { source } = await makeFolders(t)
    const sql = `CREATE VIEW clients AS SELECT client_number, name::INTEGER AS name FROM read_csv('clients.csv');
      CREATE VIEW travellers AS SELECT 'x' AS client_number;`
    const { code, stdout } = await checkBy(source, { 'tripfolio.sql': sql }, '--json')
    assert.equal(code, 1)
    const { tables, mapping } = JSON.parse(stdout)
    assert.match(
      tables[0].faults[0],
      /Conversion Error: Could not convert string 'Harbour.*from source column name$/,
    )
    assert.deepEqual([tables[4].found, tables[4].missing[0].column], ['view', 'record_locator'])
    assert.ok(mapping.startsWith(sql))
    await overwrite(source, {
      'tripfolio.sql': 'CREATE VIEW clients AS SELECT clientnumber FROM "clients.csv"',
    })
    await assert.rejects(check(source), {
      code: 'ING107',
      message: /Referenced column "clientnumber" not found.*\nCandidate bindings: "client_number"/,
    })
    // The last statement of a mapping may lack its semicolon.
    const unended = `SET VARIABLE encoding_clients = 'utf-8' -- not ended`
    await overwrite(source, { 'tripfolio.sql': unended, 'clients.csv': 'ClientNumber,name\nC1,x\n' })
    await overwrite(source, { 'tripfolio.sql': (await check(source)).mapping ?? '' })
    assert.equal((await check(source)).tables[0]?.fits, true)
  })
})

describe('the mapping that a check drafts', () => {
  it('is written to a new file, never over an old one', async (t) => {
    const { source } = await makeFolders(t)
    const clients = { 'clients.csv': 'ClientNumber,Name\nC100,Harbour\nC200,Limmat\nC300,New\n' }
    const target = join(source, 'tripfolio.sql')
    const written = await checkBy(source, clients, '--mapping', target)
    assert.equal(written.code, 1)
    assert.ok(written.stdout.endsWith(`\nWritten to ${target}.\n`))
    assert.doesNotMatch(written.stdout, /CREATE VIEW/)
    assert.match(await readFile(target, 'utf8'), /^CREATE VIEW clients AS SELECT$/m)

    await rm(target)
    const own = join(source, 'own.sql')
    await writeFile(own, '-- work of an hour')
    const refused = await checkBy(source, clients, '--mapping', own)
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /The file \/.*\/own\.sql exists already, and was not changed/)
    assert.equal(await readFile(own, 'utf8'), '-- work of an hour')
    const nowhere = await checkBy(source, clients, '--mapping', join(source, 'none', 'x.sql'))
    assert.match(nowhere.stderr, /The mapping cannot be written to .*ENOENT/)
    await assert.rejects(writeMapping(own, ''), { code: 'ING170' })
    await assert.rejects(writeMapping(join(source, 'none', 'x.sql'), ''), { code: 'ING171' })
  })

  it('is drafted by a check alone', async () => {
    const { code, stderr } = await runCommand(['ingest', '--source', 'x', '--mapping', 'y.sql'])
    assert.notEqual(code, 0)
    const { message, code: expected } = mappingWithoutCheck()
    assert.equal(expected, 'ING172')
    assert.ok(stderr.includes(message), stderr)
  })
})

describe('a check that is stopped', () => {
  it('says why', async (t) => {
    const { source } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'csv')
    await overwrite(source, { 'tripfolio.sql': endlessMapping })
    const stop = new AbortController()
    const stopped = checkExtract({
      source,
      maxRejectShare: 0,
      signal: stop.signal,
      onTable: () => stop.abort(),
    })
    await assert.rejects(stopped, { code: 'ING173' })
    const signal = AbortSignal.abort(refreshTooLong(1))
    await assert.rejects(checkExtract({ source, maxRejectShare: 0, signal }), { code: 'ING123' })
  })

  it('or that has no folder to look at says so', async () => {
    await assert.rejects(check('/nonexistent'), { code: 'ING101' })
  })
})
