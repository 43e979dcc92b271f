import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Column, NULL_INTEGER } from '../../../snapshot/partition.ts'
import { addRows, BitmapPool } from '../bitmap.ts'
import { inBlocks } from '../indexes/row-orders.ts'
import { everyRow, type MatchingRows, markedRows } from '../matching-rows.ts'
import { dictionaryOf } from '../testing/partitions.ts'
import { runWork } from '../work.ts'
import { firstInOrder } from './sort.ts'
import { type ColumnOrder, isConstant, significantKeys } from './sort-keys.ts'

const ROWS = 6000

/** Spreads row numbers without a pattern, the same in every run. */
const scattered = (row: number, of: number): number => (Math.imul(row + 1, 0x9e3779b1) >>> 8) % of

const names = dictionaryOf(['ann', 'Bob', 'bob', 'Carl', '\uffee', '\u{1d4b3}'])
const columns: Readonly<Record<string, Column>> = {
  name: {
    type: 'text',
    codes: Int32Array.from({ length: ROWS }, (_, row) => scattered(row, 7)),
    dictionary: names,
  },
  minute: {
    type: 'minute',
    values: Int32Array.from({ length: ROWS }, (_, row) =>
      row % 50 === 0 ? NULL_INTEGER : scattered(row, 3_000_000) - 1_000_000,
    ),
  },
  amount: {
    type: 'decimal',
    values: Float64Array.from({ length: ROWS }, (_, row) =>
      row % 40 === 0 ? Number.NaN : (scattered(row, 2000) - 1000) * 1e12,
    ),
  },
  flag: { type: 'boolean', bits: Uint8Array.from({ length: ROWS / 8 }, (_, i) => scattered(i, 256)) },
}

/** The value to compare by: null is the greatest. */
function keyOf(column: Column, row: number): number {
  switch (column.type) {
    case 'text': {
      const code = column.codes[row]!
      const inOrder = ['ann', 'Bob', 'bob', 'Carl', '\uffee', '\u{1d4b3}']
      return code === names.size ? Infinity : inOrder.indexOf(names.text(code))
    }
    case 'boolean':
      return (column.bits[row >> 3]! >> (row & 7)) & 1
    case 'decimal':
      return Number.isNaN(column.values[row]) ? Infinity : column.values[row]!
    default:
      return column.values[row] === NULL_INTEGER ? Infinity : column.values[row]!
  }
}

function expected(rows: readonly number[], orders: readonly ColumnOrder[]): readonly number[] {
  return [...rows].sort((a, b) => {
    for (const { column, descending } of orders) {
      const [x, y] = [keyOf(column, a), keyOf(column, b)]
      if (x !== y) return x < y === descending ? 1 : -1
    }
    return a - b
  })
}

const selections: Readonly<Record<string, readonly number[]>> = {
  'every row': Array.from({ length: ROWS }, (_, row) => row),
  'most rows': Array.from({ length: ROWS }, (_, row) => row).filter((row) => scattered(row, 10) > 2),
  'a run of rows': Array.from({ length: 900 }, (_, i) => 5000 + i),
  'few rows': [5999, 7, 400, 401, 3000].sort((a, b) => a - b),
  'no row': [],
}

function matchingRows(rows: readonly number[]): MatchingRows {
  if (rows.length === ROWS) return everyRow(ROWS)
  const pool = new BitmapPool(ROWS)
  const bits = pool.take()
  addRows(bits, Int32Array.from(rows), 0, rows.length)
  return markedRows(bits, pool)
}

const keys = [
  ['name'],
  ['minute'],
  ['amount'],
  ['flag'],
  ['name', 'minute'],
  ['flag', 'amount', 'name'],
  ['amount', 'flag'],
  ['minute', 'name'],
]

describe('firstInOrder', () => {
  for (const [what, rows] of Object.entries(selections)) {
    it(`sorts ${what}, only the first rows or all, with and without the order of all rows`, async () => {
      for (const key of keys) {
        for (const descending of [false, true]) {
          const orders = key.map((name): ColumnOrder => ({ column: columns[name]!, descending }))
          const inOrder = expected(rows, orders)
          const allInOrder = await runWork(
            inBlocks(Int32Array.from(expected(selections['every row']!, orders))),
          )
          for (const wanted of [1, 3, 50, 400, rows.length]) {
            for (const known of [null, allInOrder]) {
              const found = await runWork(firstInOrder(matchingRows(rows), orders, wanted, known))
              const about = `${key} ${descending ? 'desc' : 'asc'}, first ${wanted}, ${known && 'order known'}`
              assert.deepEqual([...found], inOrder.slice(0, wanted), about)
            }
          }
        }
      }
    })
  }

  it('finds enough rows when the matching rows come last in the order of all rows', async () => {
    const order: ColumnOrder = { column: columns.minute!, descending: false }
    const inOrder = expected(selections['every row']!, [order])
    const rows = [...inOrder.slice(0, 2), ...inOrder.slice(-700)].sort((a, b) => a - b)
    const found = await runWork(
      firstInOrder(matchingRows(rows), [order], 3, await runWork(inBlocks(Int32Array.from(inOrder)))),
    )
    assert.deepEqual([...found], [...inOrder.slice(0, 2), inOrder[ROWS - 700]])
  })

  for (const [what, first] of [
    ['greatest row is the first that matches', 320],
    ['least row is the last that matches', 1247],
  ] as const) {
    it(`does not skip a block whose ${what}`, async () => {
      const rows = Array.from({ length: 1248 - 320 }, (_, i) => 320 + i)
      const block = Array.from({ length: 128 }, (_, i) => (first === 320 ? first - i : first + i))
      const inOrder = [...block, ...selections['every row']!.filter((row) => !block.includes(row))]
      const values = new Int32Array(ROWS)
      for (const [place, row] of inOrder.entries()) values[row] = place
      const order: ColumnOrder = { column: { type: 'minute', values }, descending: false }
      const allInOrder = await runWork(inBlocks(Int32Array.from(inOrder)))
      const found = await runWork(firstInOrder(matchingRows(rows), [order], 2, allInOrder))
      assert.deepEqual([...found], [first, first === 320 ? 321 : 320])
    })
  }

  it('returns rows in default order when there are no keys', async () => {
    const rows = selections['most rows']!
    assert.deepEqual([...(await runWork(firstInOrder(matchingRows(rows), [], 10)))], rows.slice(0, 10))
  })
})

describe('isConstant', () => {
  const rows = 20
  const cases: readonly (readonly [what: string, column: Column, constant: boolean])[] = [
    ['one text', { type: 'text', codes: new Int32Array(rows).fill(1), dictionary: names }, true],
    ['texts', { type: 'text', codes: new Int32Array(rows).fill(1).fill(2, 19), dictionary: names }, false],
    ['nulls', { type: 'integer', values: new Int32Array(rows).fill(NULL_INTEGER) }, true],
    ['a null', { type: 'date', values: new Int32Array(rows).fill(NULL_INTEGER, 7, 8) }, false],
    ['no amounts', { type: 'decimal', values: new Float64Array(rows).fill(Number.NaN) }, true],
    ['zeros', { type: 'decimal', values: new Float64Array(rows).fill(-0, 3) }, true],
    ['amounts', { type: 'decimal', values: new Float64Array(rows).fill(1, 3) }, false],
    ['truths', { type: 'boolean', bits: Uint8Array.of(255, 255, 15) }, true],
    ['falsehoods', { type: 'boolean', bits: Uint8Array.of(0, 0, 0) }, true],
    ['a different last boolean', { type: 'boolean', bits: Uint8Array.of(0, 0, 8) }, false],
  ]
  for (const [what, column, constant] of cases) {
    it(`is ${constant} for a column of ${what}`, async () => {
      assert.equal(await runWork(isConstant(column, rows)), constant)
      assert.equal(await runWork(isConstant(column, rows)), constant)
    })
  }
})

describe('significantKeys', () => {
  const by = (name: string, descending = false) => ({
    column: {
      kind: 'field' as const,
      name,
      type: name.endsWith('Date') ? ('date' as const) : ('text' as const),
    },
    descending,
  })
  const defaultOrder = ['bookingDate', 'recordLocator']

  it('drops keys that the default order implies', () => {
    assert.deepEqual(significantKeys([by('bookingDate')], defaultOrder), [])
    assert.deepEqual(significantKeys([by('code'), by('bookingDate')], defaultOrder), [by('code')])
  })

  it('keeps keys that the default order does not imply', () => {
    for (const orderBy of [
      [by('bookingDate', true)],
      [by('recordLocator')],
      [by('bookingDate'), by('code')],
      // the default order has texts by code point
      [by('bookingDate'), by('recordLocator')],
      [by('bookingDate'), by('recordLocator', true)],
    ]) {
      assert.deepEqual(significantKeys(orderBy, defaultOrder), orderBy)
    }
  })

  it('drops a column that comes a second time, ascending or descending', () => {
    assert.deepEqual(significantKeys([by('code'), by('name', true), by('code', true)], defaultOrder), [
      by('code'),
      by('name', true),
    ])
  })

  it('distinguishes a custom label from a field with the same name', () => {
    const custom = {
      column: { kind: 'custom' as const, label: 'bookingDate', type: 'text' as const },
      descending: false,
    }
    assert.deepEqual(significantKeys([custom], defaultOrder), [custom])
  })
})
