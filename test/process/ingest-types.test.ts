/** Types that a source has and a text column does not: what is one text is read, and what would be a rendering is refused. */
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import { testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { extractTables, standardBookingColumns } from '../../src/schema/extract-tables.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { fillWarehouse } from '../fixtures/warehouse.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, overwrite, publishedRecords, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const none = {
  travellers: [],
  segments: [],
  invoices: [],
  invoice_lines: [],
  payments: [],
  booking_custom_data: [],
}
/** The columns whose values are labels of a booking. */
const labelled = standardBookingColumns.map(({ column }) => column)
/** One booking, and a label for each of its columns. */
const extract: ExtractTables = {
  ...fixtureExtract,
  ...none,
  bookings: fixtureExtract.bookings.filter(
    (row) => row.record_locator === 'ABC123' && row.client_number === harbour,
  ),
  custom_field_labels: labelled.map((field) => ({ client_number: harbour, field, label: field })),
}

type Values = Readonly<Record<string, string>>

/** Gives each value a column. */
const inColumns = (values: readonly string[]): Values =>
  Object.fromEntries(values.map((value, at) => [labelled[at] ?? assert.fail('too many values'), value]))

const replaced = (values: Values): string =>
  Object.entries(values)
    .map(([column, value]) => `(${value}) AS ${column}`)
    .join(', ')

/** SQL of the booking with other values. */
const bookingWith = (values: Values) =>
  `SELECT * REPLACE (${replaced(values)}) FROM read_csv('bookings.csv', all_varchar = true)`

async function writeParquet(folder: string, file: string, rows: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const found = rows.replace('bookings.csv', join(folder, 'bookings.csv'))
  await connection.run(`COPY (${found}) TO '${join(folder, file)}'`)
  connection.closeSync()
  instance.closeSync()
}

/** Where text columns get values of types: a Parquet file, or a view of a mapping. */
const sources: Readonly<Record<string, (folder: string, values: Values) => Promise<void>>> = {
  'a Parquet file': async (folder, values) => {
    await writeParquet(folder, 'bookings.parquet', bookingWith(values))
    await rm(join(folder, 'bookings.csv'))
  },
  'a view': (folder, values) =>
    writeFile(join(folder, 'tripfolio.sql'), `CREATE VIEW bookings AS ${bookingWith(values)}`),
}

async function folders(t: TestContext): Promise<Folders> {
  const made = await makeFolders(t)
  await writeExtract(made.source, extract, 'csv')
  return made
}

/** The labels of the first booking, in the order of the columns. */
async function labelsOf({ data }: Folders): Promise<readonly unknown[]> {
  const [record = '{}'] = await publishedRecords(data, harbour, 'bookings')
  const { customDataFields } = JSON.parse(record)
  return labelled.map((column) => customDataFields[column] ?? null)
}

const centreOf = async (made: Folders) => (await labelsOf(made))[labelled.indexOf('cost_centre')]

const warned = (warnings: readonly { kind: string; message: string }[]) =>
  warnings.filter(({ kind }) => kind === 'number-as-text' || kind === 'types-differ')

const check = async (source: string) => {
  const { tables, mapping } = await checkExtract({ source, maxRejectShare: 0 })
  const bookings = tables.find(({ table }) => table === 'bookings')
  assert.ok(bookings !== undefined)
  return { mapping, ...bookings }
}

type Case = readonly [value: string, text: string | null]

/** Value of a type, its one text. Without a value nothing is lost. */
const certain: readonly Case[] = [
  [`'0042'`, '0042'],
  [`'1250.0'`, '1250.0'],
  ['1250::DECIMAL(12, 0)', '1250'],
  [`DATE '2026-01-31'`, '2026-01-31'],
  [`'b'::ENUM('a', 'b')`, 'b'],
  [`'00000000-0000-4000-8000-00000000000a'::UUID`, '00000000-0000-4000-8000-00000000000a'],
  ['NULL::DOUBLE', null],
  ['NULL::BOOLEAN', null],
  ['NULL::VARCHAR[]', null],
]

/** Value of a type, the integer that it was. */
const whole: readonly Case[] = [
  ['1250::DOUBLE', '1250'],
  ['9007199254740991::DOUBLE', '9007199254740991'],
  ['1e15::DOUBLE', '1000000000000000'],
  ['-0.0::DOUBLE', '0'],
  ['16777215::FLOAT', '16777215'],
]

/** Value of a type, and what the proposed cast makes of it; null when no cast is known. */
const refused: readonly (readonly Case[])[] = [
  [
    ['12.5::DOUBLE', '12.5'],
    ['9007199254740992::DOUBLE', null],
    ['98122334000210000::DOUBLE', null],
    ['16777216::FLOAT', null],
    [`'NaN'::DOUBLE`, ''],
    ['1250::DECIMAL(12, 2)', '1250'],
    ['12.5::DECIMAL(12, 2)', '12.50'],
    ['true', 'true'],
  ],
  [
    [`TIMESTAMP '2026-01-31 10:30:00'`, '2026-01-31T10:30'],
    [`TIMESTAMPTZ '2026-01-31 10:30:00+00'`, '2026-01-31T10:30'],
    [`TIME '10:30:00'`, '10:30'],
    [`INTERVAL '90' MINUTE`, '01:30:00'],
    [`['0042', NULL]`, '0042'],
    [`{'last': 'Ada', 'tags': ['a']}`, 'Ada'],
    [`MAP {'k': 1}`, '1'],
    [`'"x"'::JSON`, 'x'],
  ],
]

const valuesOf = (cases: readonly Case[]): Values => inColumns(cases.map(([value]) => value))
const textsOf = (cases: readonly Case[]) =>
  labelled.map(
    (column, at) => cases[at]?.[1] ?? (cases[at] ? null : extract.bookings[0]?.[column as never]) ?? null,
  )

describe('a text column', () => {
  for (const [source, write] of Object.entries(sources)) {
    it(`takes what has one text from ${source}`, async (t) => {
      const made = await folders(t)
      await write(made.source, valuesOf(certain))
      assert.deepEqual((await check(made.source)).warnings, [
        `column '${labelled[1]}': all values end in .0 (1 of 1), as programs write integers of a column with nulls. They are served so; export the column as text, or write in a view: regexp_replace("${labelled[1]}", '\\.0+$', '')`,
      ])
      assert.deepEqual(warned((await refresh(made)).warnings), [])
      assert.deepEqual(await labelsOf(made), textsOf(certain))
    })

    it(`takes whole numbers with a fraction from ${source} as the integers that they were, and says so`, async (t) => {
      const made = await folders(t)
      await write(made.source, valuesOf(whole))
      const before = await check(made.source)
      assert.equal(before.fits, true)
      const { warnings } = await refresh(made)
      const said = warned(warnings).map(({ kind, message }) => {
        assert.ok(before.warnings.includes(message), message)
        return [
          kind,
          /column '(.*)' is text, but holds numbers .* 1 whole number was read as/.exec(message)?.[1],
        ]
      })
      assert.deepEqual(
        said,
        labelled.slice(0, whole.length).map((column) => ['number-as-text', column]),
      )
      assert.deepEqual(await labelsOf(made), textsOf(whole))
    })

    for (const [at, cases] of refused.entries()) {
      it(`refuses renderings from ${source}, and the casts that are proposed mend them (${at + 1})`, async (t) => {
        const made = await folders(t)
        await write(made.source, valuesOf(cases))
        const refusal = await refresh(made).then(
          () => assert.fail('accepted'),
          (problem: Problem) => problem,
        )
        assert.equal(refusal.code, 'ING180')
        const { fits, values, mapping } = await check(made.source)
        assert.equal(fits, false)
        const casts = cases.map(([value, text], place) => {
          const column = labelled[place]
          assert.match(
            refusal.message,
            new RegExp(`Column '${column}' of table 'bookings' is text, and `),
            value,
          )
          const found = values.find((fault) => fault.column === column && fault.rule === 'type.text')
          assert.deepEqual([found?.rows, found?.cast === null], [1, text === null], value)
          if (source !== 'a view')
            assert.ok(mapping?.includes(found?.cast?.sql ?? 'its digits are lost'), value)
          return found?.cast?.sql ?? 'NULL'
        })
        const given = source === 'a view' ? bookingWith(valuesOf(cases)) : `FROM 'bookings.parquet'`
        await overwrite(made.source, {
          'tripfolio.sql': `CREATE VIEW bookings AS SELECT * REPLACE (${replaced(inColumns(casts))}) FROM (${given})`,
        })
        assert.deepEqual(warned((await refresh(made)).warnings), [])
        assert.deepEqual(
          (await labelsOf(made)).map((text) => text ?? ''),
          textsOf(cases).map((text) => text ?? ''),
        )
      })
    }
  }

  it('is refused as a short key or a label, too, and all columns are named at once', async (t) => {
    const made = await folders(t)
    const view = `CREATE VIEW custom_field_labels AS SELECT 'C100' AS client_number, 1.5 AS field, true AS label`
    await overwrite(made.source, { 'tripfolio.sql': view })
    await assert.rejects(refresh(made), {
      code: 'ING180',
      message: /^Column 'field' .* DECIMAL\(2,1\): .* cast them, .*; Column 'label' .* BOOLEAN: /,
    })
  })

  it('may be a key of floats', async (t) => {
    const made = await folders(t)
    await overwrite(made.source, {
      'tripfolio.sql': `CREATE VIEW bookings AS ${bookingWith({ record_locator: '1::DOUBLE' })}`,
    })
    await refresh(made)
    const [record = ''] = await publishedRecords(made.data, harbour, 'bookings')
    assert.equal(JSON.parse(record).recordLocator, '1')
  })
})

describe('a text column of JSON', () => {
  const write = async (source: string, ...values: readonly string[]) => {
    await rm(join(source, 'bookings.csv'))
    const row = extract.bookings[0]
    const lines = values.map(
      (value, at) =>
        `${JSON.stringify({ ...row, record_locator: `L${at}`, cost_centre: '?' }).replace('"?"', value)}\n`,
    )
    await writeFile(join(source, 'bookings.ndjson'), lines.join(''))
  }

  it('takes texts and integers as they are written', async (t) => {
    const made = await folders(t)
    await write(made.source, '"1250.0"', '1250', '12345678901234567890', 'null')
    assert.deepEqual(
      warned((await refresh(made)).warnings).map(({ kind }) => kind),
      ['types-differ'],
    )
    const centres = (await publishedRecords(made.data, harbour, 'bookings')).map(
      (record) => JSON.parse(record).customDataFields.cost_centre,
    )
    assert.deepEqual(centres, ['1250.0', '1250', '12345678901234567890', undefined])
  })

  it('reads 1250.0 as the integer that it was, and says so', async (t) => {
    const made = await folders(t)
    await write(made.source, '1250.0', '-7.00 ', 'null')
    const { warnings } = await refresh(made)
    assert.deepEqual(
      warned(warnings).map(({ message }) => message.split(': ').slice(0, 3).join(': ')),
      [
        "bookings.ndjson: column 'cost_centre' is text, but holds numbers (numbers): 2 whole numbers were read as integers. If the source had leading zeros, they are lost",
      ],
    )
    const centres = (await publishedRecords(made.data, harbour, 'bookings')).map(
      (record) => JSON.parse(record).customDataFields.cost_centre,
    )
    assert.deepEqual(centres, ['1250', '-7', undefined])
    assert.match((await check(made.source)).warnings.join(), /2 whole numbers were read as integers/)
  })

  for (const [value, cast] of [
    ['12.5', '12.5'],
    ['true', 'true'],
    ['98122334000210000.0', null],
    ['9.8e+16', null],
  ] as const) {
    it(`refuses ${value}`, async (t) => {
      const made = await folders(t)
      await write(made.source, value)
      await assert.rejects(refresh(made), {
        code: 'ING180',
        message: /bookings.ndjson holds (numbers|booleans)/,
      })
      const { fits, mapping } = await check(made.source)
      assert.equal(fits, false)
      await overwrite(made.source, { 'tripfolio.sql': mapping ?? '' })
      if (cast === null) await assert.rejects(refresh(made), { code: 'ING180' })
      else {
        await refresh(made)
        assert.equal(await centreOf(made), cast)
      }
    })
  }

  it('takes no broken line for a type', async (t) => {
    const made = await folders(t)
    await write(made.source, '"x"', 'trux', '1.5.2')
    assert.equal((await refresh(made, { maxRejectShare: 1 })).rejects, 2)
  })
})

describe('parts that disagree in the type of a text column', () => {
  const parts = async (source: string, ...values: readonly string[]) => {
    await writeExtract(source, extract, 'csv')
    for (const [at, value] of values.entries()) {
      const row = bookingWith({ record_locator: `'L${at}'`, cost_centre: value })
      await writeParquet(source, `bookings-${at}.parquet`, row)
    }
    await rm(join(source, 'bookings.csv'))
  }
  for (const [one, other, message] of [
    [`'0014'`, '21::INTEGER', /text in bookings-0.parquet and numbers \(INTEGER\) in bookings-1.parquet/],
    ['21::DOUBLE', `'0014'`, /numbers \(DOUBLE\) in bookings-0.parquet and text in bookings-1.parquet/],
    [
      `'31.01.26'`,
      `DATE '2026-01-31'`,
      /text in bookings-0.parquet and dates \(DATE\) in bookings-1.parquet/,
    ],
    [`'0014'`, 'NULL::INTEGER', null],
    ['14::DOUBLE', '21::INTEGER', null],
  ] as const) {
    it(`are named: ${one} beside ${other}`, async (t) => {
      const made = await folders(t)
      await parts(made.source, one, other)
      const differing = (await refresh(made)).warnings.filter(({ kind }) => kind === 'types-differ')
      assert.equal(differing.length, message === null ? 0 : 1)
      if (message === null) return
      assert.match(differing[0]?.message ?? '', message)
      const { fits, warnings } = await check(made.source)
      assert.equal(fits, true)
      assert.match(warnings.join(), message)
    })
  }
})

describe('a text column of CSV', () => {
  it('may be one of floats, which a check says when all of its values end in .0', async (t) => {
    const made = await folders(t)
    const two = [...extract.bookings, { ...extract.bookings[0], record_locator: 'B' }]
    const rows = (centres: readonly (string | null)[]) =>
      two.map((row, at) => ({ ...row, cost_centre: centres[at] ?? null })) as typeof extract.bookings
    await writeExtract(made.source, { ...extract, bookings: rows(['1250.0', null]) }, 'csv')
    const { code, stdout } = await runCommand(['ingest', '--check', '--source', made.source])
    assert.equal(code, 0)
    assert.match(
      stdout,
      /\n {2}warning: column 'cost_centre': all values end in \.0 \(1 of 1\).*: regexp_replace\("cost_centre", '\\\.0\+\$', ''\)\n/,
    )
    await writeExtract(made.source, { ...extract, bookings: rows(['1250.0', '12']) }, 'csv')
    assert.deepEqual((await check(made.source)).warnings, [])
  })
})

describe('a text column of a warehouse', () => {
  /** A mapping in which columns of the booking have other values. */
  const mappingWith = (values: Values) => {
    const names = extractTables.bookings.columns.map(({ column }) => {
      const value = values[column]
      return value === undefined ? column : `${value} AS ${column}`
    })
    return `CREATE VIEW clients AS SELECT * FROM clients;
      CREATE VIEW custom_field_labels AS SELECT * FROM custom_field_labels;
      CREATE VIEW bookings AS SELECT ${names.join(', ')} FROM bookings;`
  }

  const sound: readonly Case[] = [
    [`'0042'::char(6)`, '0042'],
    ['1250::numeric', '1250'],
    [`date '2026-01-31'`, '2026-01-31'],
    [`'00000000-0000-4000-8000-00000000000a'::uuid`, '00000000-0000-4000-8000-00000000000a'],
    ['null::boolean', null],
    ['1250::float8', '1250'],
    ['1e15::float8', '1000000000000000'],
    ['16777215::real', '16777215'],
  ]
  const unsound: readonly (readonly Case[])[] = [
    [
      ['12.5::float8', '12.5'],
      ['9007199254740992::float8', null],
      ['16777216::real', null],
      [`'NaN'::float8`, ''],
      ['1250::numeric(12, 2)', '1250'],
      ['12.50::numeric', '12.5'],
      [`'infinity'::date`, ''],
      ['true', 'true'],
    ],
    [
      [`'12.50'::money`, '12.5'],
      [`timestamp '2026-01-31 10:30'`, '2026-01-31T10:30'],
      [`timestamptz '2026-01-31 10:30Z'`, '2026-01-31T10:30'],
      [`time '10:30'`, '10:30'],
      [`interval '90 minutes'`, '01:30:00'],
      [`'10.0.0.1'::inet`, '10.0.0.1/32'],
    ],
  ]

  it('takes what has one text, warns of floats, and refuses the rest with its cast', async (t) => {
    const { url } = await testDatabase(t)
    await fillWarehouse(url, extract)
    const made = { ...(await makeFolders(t)), source: url }
    const mapping = join(made.data, '..', 'warehouse.sql')
    await writeFile(mapping, mappingWith(valuesOf(sound)))
    const { warnings } = await refresh(made, { mapping })
    assert.deepEqual(
      warned(warnings).map(({ message }) => /'(.*)' is text, but holds/.exec(message)?.[1]),
      labelled.slice(5, 8),
    )
    assert.deepEqual(await labelsOf(made), textsOf(sound))
    for (const cases of unsound) {
      await writeFile(mapping, mappingWith(valuesOf(cases)))
      const refusal = await refresh(made, { mapping }).then(
        () => assert.fail('accepted'),
        (problem: Problem) => problem,
      )
      assert.equal(refusal.code, 'ING180')
      const { tables } = await checkExtract({ source: url, mapping, maxRejectShare: 0 })
      const values = tables.find(({ table }) => table === 'bookings')?.values ?? []
      const casts = cases.map(([value, text], place) => {
        const column = labelled[place] as string
        assert.match(
          refusal.message,
          new RegExp(`Column '${column}' of table 'bookings' is text, and `),
          value,
        )
        const found = values.find((fault) => fault.column === column && fault.rule === 'type.text')
        assert.deepEqual([found?.rows, found?.cast === null], [1, text === null], value)
        return found?.cast
          ? `(select ${found.cast.sql} from (select ${value} as ${column}) as given)`
          : 'null'
      })
      await writeFile(mapping, mappingWith(inColumns(casts)))
      await refresh(made, { mapping })
      assert.deepEqual(
        (await labelsOf(made)).map((text) => text ?? ''),
        textsOf(cases).map((text) => text ?? ''),
      )
    }
  })
})
