import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ColumnRef, Predicate } from '../../../query/plan/plan-nodes.ts'
import { datasets } from '../../../schema/datasets.ts'
import type { FieldType } from '../../../schema/field.ts'
import { wholeWindow } from '../bitmap.ts'
import { recordScope, type Scope } from '../scope.ts'
import { arbitraryQueries, labels } from '../testing/arbitrary-queries.ts'
import { partitionOf } from '../testing/partitions.ts'
import { countedWork } from '../testing/work.ts'
import { certainRows } from './certain-rows.ts'
import { lower } from './lower.ts'

// 10 invoices of 3 lines: 10 companies, 5 descriptions, 30 amounts.

const ROWS = 10
const LINES = 30
const { partition } = partitionOf(
  'invoices',
  Array.from({ length: ROWS }, (_, row) => ({
    fields: { company: `Company ${row}`, invoiceNumber: `INV${row}`, invoiceDate: 20_000 + row },
    elements: [0, 1, 2].map((line) => ({
      lineNumber: line,
      lineType: 'FARE',
      description: `Item ${(row + line) % 5}`,
      unitPrice: 100_000 * row + line,
    })),
  })),
)

const field = (name: string, type: FieldType): ColumnRef => ({ kind: 'field', name, type })
const match =
  (name: string, type: FieldType, by: 'contains' | 'startswith' | 'endswith' = 'contains') =>
  (folded: string): Predicate => ({ kind: 'match', column: field(name, type), function: by, folded })
const company = match('company', 'text')
const description = match('description', 'text')
const price = match('unitPrice', 'decimal')
const day = match('invoiceDate', 'date')
const isFare: Predicate = {
  kind: 'compare',
  column: field('lineType', 'text'),
  comparison: 'eq',
  comparand: { as: 'text', folded: 'fare' },
}
const and = (...operands: readonly Predicate[]): Predicate => ({ kind: 'and', operands })
const or = (...operands: readonly Predicate[]): Predicate => ({ kind: 'or', operands })
const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
const any = (condition: Predicate | null): Predicate => ({ kind: 'any', collection: 'lineItems', condition })

const COMPANY = 8 * 10
const DESCRIPTION = 8 * 5
const rows: readonly (readonly [what: string, where: Predicate, certain: number])[] = [
  ['a comparison, which an index may answer', any(isFare), 0],
  ['a constant', { kind: 'constant', value: false }, 0],
  ['a text function: every distinct text', company('a'), COMPANY],
  ['a text function on elements: every distinct text of the elements', any(description('a')), DESCRIPTION],
  ['the negation of a text function', not(any(description('a'))), DESCRIPTION],
  ['the end of a text', match('company', 'text', 'endswith')('a'), COMPANY],
  ['the beginning of a text, which a binary search finds', match('company', 'text', 'startswith')('a'), 0],
  ['an empty search text', company(''), 0],
  ['the text of every amount', any(price('1')), (100 + 16) * LINES],
  [
    'each part searched in an amount, which is written out once',
    any(or(price('1'), price('2'))),
    (100 + 2 * 16) * LINES,
  ],
  ['the text of every day', day('1'), 20 * ROWS],
  ['the beginning of a day', match('invoiceDate', 'date', 'startswith')('1'), 0],
  ['any element at all', any(null), ROWS],
  ['all operands of an or', or(company('a'), company('b'), any(description('c'))), 2 * COMPANY + DESCRIPTION],
  [
    'an and: the texts of every operand, but the rows of none',
    and(company('a'), day('1'), day('2')),
    COMPANY,
  ],
  ['an and: the rows of the cheaper operand', and(day('1'), any(price('1'))), 20 * ROWS],
  ['an and that an index may decide', and(day('1'), any(isFare)), 0],
  [
    'a repeated predicate, once',
    or(
      and(company('a'), any(isFare)),
      and(not(company('a')), any(isFare)),
      any(and(isFare, description('c'))),
    ),
    COMPANY + DESCRIPTION,
  ],
  [
    'amounts that are written out for two operands, once',
    or(any(price('1')), and(not(any(price('1'))), day('2'))),
    (100 + 16) * LINES,
  ],
]

describe('the rows that a condition is certain to scan', () => {
  for (const [what, where, certain] of rows) {
    it(`are ${certain} for ${what}`, () => {
      const scope = recordScope(partition)
      assert.equal(certainRows(where, scope), certain)
      const spent = spentOn(where, scope)
      assert.ok(spent >= certain, `${spent} were scanned`)
    })
  }

  for (const { dataset, row, predicate } of arbitraryQueries) {
    it(`are never more than are scanned, for any condition on ${dataset}`, () => {
      const property = fc.property(
        fc.array(row, { maxLength: 80, size: 'max' }),
        fc.array(predicate, { minLength: 1, maxLength: 6 }),
        (given, conditions) => {
          const { partition: random } = partitionOf(datasets[dataset].stored, given, labels)
          const scope = recordScope(random)
          // Again with the indexes and results that exist by then.
          for (const where of [...conditions, or(...conditions, and(...conditions)), ...conditions]) {
            const certain = certainRows(where, scope)
            const spent = spentOn(where, scope)
            assert.ok(spent >= certain, `${certain} expected, ${spent} looked at`)
          }
        },
      )
      fc.assert(property, { numRuns: 150 })
    })
  }
})

function spentOn(where: Predicate, scope: Scope): number {
  const lowered = countedWork(lower(where, scope))
  const bits = scope.bitmaps.take()
  return lowered.rowsScanned + countedWork(lowered.value.fill(bits, wholeWindow(scope.count))).rowsScanned
}
