import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ColumnRef, Predicate } from '../../../query/plan/plan-nodes.ts'
import { planQuery } from '../../../query/plan/plan-query.ts'
import { wholeWindow } from '../bitmap.ts'
import { recordScope } from '../scope.ts'
import { partitionOf } from '../testing/partitions.ts'
import { countedWork } from '../testing/work.ts'
import { lower } from './lower.ts'

// The columns have no index, so the exact number of scanned rows is known. Rows and lines fill whole words.

const ROWS = 320
const LINES = 2 * ROWS
const { partition } = partitionOf(
  'invoices',
  Array.from({ length: ROWS }, (_, row) => ({
    fields: { company: `Company ${row % 10}`, invoiceNumber: `INV${row}`, dueDate: 20_000 + row },
    elements: [0, 1].map((line) => ({ lineNumber: line, description: `Item ${row}`, unitPrice: row + line })),
  })),
)

const field = (name: string, type: ColumnRef['type']): ColumnRef =>
  ({ kind: 'field', name, type }) as ColumnRef
const contains = (name: string, type: ColumnRef['type'], folded: string): Predicate => ({
  kind: 'match',
  column: field(name, type),
  function: 'contains',
  folded,
})
const price = (folded: string) => contains('unitPrice', 'decimal', folded)
const description = (folded: string) => contains('description', 'text', folded)
const due = (folded: string) => contains('dueDate', 'date', folded)
const any = (condition: Predicate): Predicate => ({ kind: 'any', collection: 'lineItems', condition })
const or = (...operands: readonly Predicate[]): Predicate => ({ kind: 'or', operands })
const and = (...operands: readonly Predicate[]): Predicate => ({ kind: 'and', operands })
const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })

/** Rows scanned for a condition that is planned like one of a request. */
function spentOn(where: Predicate): number {
  const planned = planQuery({ dataset: 'invoices', where, orderBy: [], paging: null, select: null }).where
  assert.ok(planned)
  const scope = recordScope(partition)
  const lowered = countedWork(lower(planned, scope))
  const bits = scope.bitmaps.take()
  return lowered.rowsScanned + countedWork(lowered.value.fill(bits, wholeWindow(ROWS))).rowsScanned
}

const many = Array.from({ length: 140 }, (_, i) => `no such ${i}`)
const WRITTEN = 100
const TESTED = 16
const SEARCHED = 8
const DAY = 20

describe('the work of a condition', () => {
  it('is one scan of the amounts for 140 any(contains(...)) joined by or', () => {
    const once = spentOn(any(price('no such')))
    assert.equal(once, (WRITTEN + TESTED) * LINES)
    assert.equal(spentOn(or(...many.map((part) => any(price(part))))), (WRITTEN + 140 * TESTED) * LINES)
  })

  it('is done in parts of less than a millisecond, however many tests each amount needs', () => {
    const scope = recordScope(partition)
    const { value } = countedWork(lower(any(or(...many.map(price))), scope))
    const steps = [...value.fill(scope.bitmaps.take(), wholeWindow(ROWS))].filter(
      (step) => step !== undefined,
    )
    assert.ok(Math.max(...steps.map(Number)) <= 2 ** 19, steps.join())
  })

  it('is one scan for the texts that 140 searches find', () => {
    assert.equal(spentOn(or(...many.map((part) => any(description(part))))), 140 * SEARCHED * ROWS)
    const found = or(...many.map((part) => any(description(part))), any(description('item')))
    const marks = 2
    assert.equal(spentOn(found), 141 * SEARCHED * ROWS + marks + LINES + LINES)
  })

  it('is the same for a repeated predicate as for a single one', () => {
    assert.equal(spentOn(or(due('1'), due('1'))), spentOn(due('1')))
    assert.equal(spentOn(and(any(price('1')), any(price('1')))), spentOn(any(price('1'))))
  })

  it('is one scan for a predicate that is repeated in different places, also under not and in any', () => {
    const junctions = ROWS / 32
    assert.equal(spentOn(or(due('x'), not(due('x')))), DAY * ROWS + 2 * junctions)
    const elsewhere = or(and(due('x'), due('y')), and(not(due('x')), due('z')))
    assert.ok(spentOn(elsewhere) < 2.1 * DAY * ROWS + (DAY + 5) * ROWS, `${spentOn(elsewhere)}`)
    const amounts = or(any(and(price('x'), price('y'))), and(not(any(price('x'))), due('x')))
    assert.ok(spentOn(amounts) < (WRITTEN + TESTED) * LINES + 2 * DAY * ROWS, `${spentOn(amounts)}`)
  })
})
