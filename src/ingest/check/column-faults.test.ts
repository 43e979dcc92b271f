import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { list, literal, name } from '../sql-text.ts'
import { prepareStaging, stagedTable } from '../staging.ts'
import { ingestedTables } from '../tables.ts'
import { openSampleDatabase, type WorkDatabase } from '../work-database.ts'
import type { Style } from './casts.ts'
import { defineCastMacros, findFaults, type ProposedCast } from './column-faults.ts'
import { matchNames } from './names.ts'

const bookings = ingestedTables.find((table) => table.name === 'bookings')
assert.ok(bookings !== undefined)

let database: WorkDatabase
before(async () => {
  database = await openSampleDatabase()
  await prepareStaging(database, ingestedTables)
  await defineCastMacros(database)
})
after(() => database.close())

/** The cast for a column of bookings that has these values. */
async function castOf(
  column: string,
  values: readonly string[],
  { type = 'VARCHAR', styles = [] }: { readonly type?: string; readonly styles?: readonly Style[] } = {},
): Promise<ProposedCast | null | undefined> {
  const rows = values.map((value) => `(${literal(value)}::${type})`)
  await database.run(
    `CREATE OR REPLACE TABLE main.given AS FROM (VALUES ${list(rows)}) AS t(${name(column)})`,
  )
  await database.run(`DELETE FROM ${stagedTable('bookings')}`)
  const sample = {
    relation: 'main.given',
    rows: values.length,
    columns: [{ name: column, type }],
    namesByFile: new Map(),
    faults: [],
    encoding: null,
    hasEscapes: false,
    source: () => '',
  }
  const { columns } = matchNames('bookings', bookings?.columns ?? [], [column])
  const { faults } = await findFaults(bookings as never, columns, {
    sample,
    database,
    styles: new Set(styles),
  })
  return faults[0]?.cast
}

const strptime = (column: string, format: string) => `strptime("${column}", '${format}')`
const upper = (yes: string, no: string) =>
  `CASE upper("is_ticketed") WHEN '${yes}' THEN 'true' WHEN '${no}' THEN 'false' ELSE "is_ticketed" END`

/** Column, its values, the cast that is proposed. */
const known: readonly (readonly [column: string, values: readonly string[], sql: string])[] = [
  ['booking_date', ['31/01/2026', '1/2/2026'], strptime('booking_date', '%d/%m/%Y')],
  ['booking_date', ['01/31/2026', '02/03/2026'], strptime('booking_date', '%m/%d/%Y')],
  ['booking_date', ['31.01.2026'], strptime('booking_date', '%d.%m.%Y')],
  ['booking_date', ['31.01.26'], strptime('booking_date', '%d.%m.%y')],
  ['booking_date', ['20260131'], strptime('booking_date', '%Y%m%d')],
  ['booking_date', ['2026/01/31'], strptime('booking_date', '%Y/%m/%d')],
  ['booking_date', ['31JAN26'], strptime('booking_date', '%d%b%y')],
  ['booking_date', ['31 January 2026'], strptime('booking_date', '%d %B %Y')],
  ['booking_date', ['31/01/2026 10:30'], `${strptime('booking_date', '%d/%m/%Y %H:%M')}::DATE`],
  ['booking_date', ['2026-01-31T10:30:00Z'], 'left("booking_date", 10)'],
  ['booking_date', [' 2026-01-31 '], 'trim("booking_date")'],
  ['modified_at', ['31/01/2026 10:30:59'], strptime('modified_at', '%d/%m/%Y %H:%M:%S')],
  ['modified_at', ['01/31/2026 1:30 PM'], strptime('modified_at', '%m/%d/%Y %I:%M %p')],
  ['modified_at', ['2026-01-31 10:30:59,123 +02:00'], `replace(left("modified_at", 16), ' ', 'T')`],
  ['modified_at', ['31/01/2026'], strptime('modified_at', '%d/%m/%Y')],
  ['is_ticketed', ['Yes', 'no'], upper('YES', 'NO')],
  ['is_ticketed', ['J', 'N'], upper('J', 'N')],
  ['total_air_distance', ['1,5', '12', '1234,25'], `replace("total_air_distance", ',', '.')`],
  ['total_air_distance', ['1,234.5', '12'], `replace("total_air_distance", ',', '')`],
  ['total_air_distance', ['1.234,5', '1.234'], `replace(replace("total_air_distance", '.', ''), ',', '.')`],
  [
    'total_air_distance',
    ['1’234.50', '12'],
    `replace(regexp_replace("total_air_distance", '[ ''’\u00a0\u202f]', '', 'g'), ',', '.')`,
  ],
  ['total_air_distance', ['(12.5)', '3'], `regexp_replace("total_air_distance", '^\\((.*)\\)$', '-\\1')`],
  [
    'total_air_distance',
    ['$12.50', 'AUD 1,234.50', '3'],
    `regexp_replace("total_air_distance", '[^0-9.-]', '', 'g')`,
  ],
  ['booking_date', ['1772409600'], 'epoch_ms(1000 * "booking_date"::BIGINT)::DATE'],
  ['booking_date', ['1772409600000', '1772496000000.0'], 'epoch_ms("booking_date"::BIGINT)::DATE'],
  ['booking_date', ['1772409600000000'], 'make_timestamp("booking_date"::BIGINT)::DATE'],
  ['modified_at', ['1772442000'], 'epoch_ms(1000 * "modified_at"::BIGINT)'],
  ['modified_at', ['1772442000123'], 'epoch_ms("modified_at"::BIGINT)'],
  ['modified_at', ['1772442000123456'], 'make_timestamp("modified_at"::BIGINT)'],
  ['modified_at', ['1772442000123456789'], 'make_timestamp("modified_at"::BIGINT // 1000)'],
  ['total_air_distance', ['0.30000000000000004'], 'round("total_air_distance"::DECIMAL(38, 10), 5)'],
  ['total_air_distance', ['5.551115123125783e-17'], 'round("total_air_distance"::DECIMAL(38, 10), 5)'],
  ['total_air_distance', ['NaN', '1'], `nullif("total_air_distance", 'NaN')`],
  ['total_air_distance', ['-Infinity', '1'], `nullif("total_air_distance", '-Infinity')`],
  ['total_air_distance', ['1.123456'], 'round("total_air_distance"::DECIMAL(38, 10), 5)'],
  ['total_air_distance', ['12.5', 'n/a', '-'], `nullif(nullif("total_air_distance", 'n/a'), '-')`],
  ['total_air_distance', ['1,5', 'NULL'], `replace(nullif("total_air_distance", 'NULL'), ',', '.')`],
  ['total_air_duration_seconds', ['1,234'], `replace("total_air_duration_seconds", ',', '')`],
]

describe('the cast for values that do not fit', () => {
  for (const [column, values, sql] of known) {
    it(`${column} with ${values.map((value) => `'${value}'`).join(' and ')} is ${sql}`, async () => {
      assert.equal((await castOf(column, values))?.sql, sql)
    })
  }

  it('is not guessed where no notation is that of the values', async () => {
    assert.equal(await castOf('booking_date', ['yesterday', 'soon']), null)
    assert.equal(await castOf('booking_date', ['31/31/2026']), null)
    assert.equal(await castOf('record_locator', ['LONGER THAN SIX']), null)
    assert.equal(await castOf('booking_date', ['NULL']), null)
  })

  it('is none for values that fit', async () => {
    assert.equal(await castOf('booking_date', ['2026-01-31']), undefined)
  })

  it('never changes a value that fits in another notation', async () => {
    // 12.50 would become 1250.
    assert.equal(await castOf('total_air_distance', ['1.234.567,50', '12.50']), null)
  })

  it('names the other way to read values that can be read in two', async () => {
    assert.deepEqual(await castOf('booking_date', ['02/03/2026']), {
      sql: strptime('booking_date', '%d/%m/%Y'),
      mapped: [`date_in("booking_date", '%d/%m/%Y')`, `date_in("booking_date", '%m/%d/%Y')`],
      decide: true,
      notes: [`this would fit, too: ${strptime('booking_date', '%m/%d/%Y')}`],
    })
    const number = await castOf('total_air_distance', ['1,234'])
    assert.equal(number?.sql, `replace("total_air_distance", ',', '.')`)
    assert.deepEqual(number?.notes, [`this would fit, too: replace("total_air_distance", ',', '')`])
  })

  it('reads such values as the other columns are written', async () => {
    const date = await castOf('booking_date', ['02/03/2026'], { styles: ['month first'] })
    assert.equal(date?.decide, false)
    assert.equal(date?.sql, strptime('booking_date', '%m/%d/%Y'))
    assert.deepEqual(date?.notes, [`this would fit, too: ${strptime('booking_date', '%d/%m/%Y')}`])
    const number = await castOf('total_air_distance', ['1,234'], { styles: ['thousands comma'] })
    assert.equal(number?.sql, `replace("total_air_distance", ',', '')`)
  })

  it('is left to the operator where it loses a part of the values', async () => {
    assert.equal((await castOf('total_air_distance', ['AUD 12', 'USD 12']))?.decide, true)
  })

  it('keeps a text in another notation, and says that it still does not fit', async () => {
    const cast = await castOf('booking_date', ['31/01/2026', '28/02/2026', 'soon'])
    assert.deepEqual(cast?.notes, ['some values still do not fit'])
    const [[kept] = []] = await database.rows(
      `SELECT list(x ORDER BY x) FROM (SELECT ${cast?.mapped[0]} AS x FROM main.given)`,
    )
    assert.deepEqual(kept, ['2026-01-31', '2026-02-28', 'soon'])
  })

  it('is one of types where the file has types', async () => {
    const date = await castOf('booking_date', ['2026-01-31 10:30:00'], { type: 'TIMESTAMP' })
    assert.equal(date?.sql, '"booking_date"::DATE')
    const number = await castOf('booking_date', ['20260131'], { type: 'BIGINT' })
    assert.equal(number?.sql, `strptime("booking_date"::VARCHAR, '%Y%m%d')`)
  })
})
