import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RowNumbers } from '../encoded-records.ts'
import { everyRow } from './matching-rows.ts'
import { Selection } from './selection.ts'
import type { Step, Work } from './work.ts'

const COUNT = 300_000
const values = Int32Array.from({ length: COUNT }, (_, row) => -row)
const selectionByValue = () =>
  new Selection(everyRow(COUNT), [{ column: { type: 'integer', values }, descending: false }])

/** Begins one work, does the other completely while the first pauses, then finishes the first. */
function overtaken(slow: Work<RowNumbers>, fast: Work<RowNumbers>): RowNumbers[] {
  const [begun, other] = [slow[Symbol.iterator](), fast[Symbol.iterator]()]
  assert.equal(begun.next().done, false, 'the work pauses at least once')
  return [other, begun].map(finished).reverse()
}

function finished(work: Iterator<Step, RowNumbers, undefined>): RowNumbers {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

const rowsOf = ({ ids, from, count }: RowNumbers) => [...(ids ?? []).slice(from, from + count)]
const lastRows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => COUNT - 1 - from - i)

describe('pages of one selection that are requested at the same time', () => {
  for (const lateFirst of [true, false]) {
    it(`are both right, as is every later page, when the ${lateFirst ? 'later' : 'earlier'} page is begun first`, () => {
      const selection = selectionByValue()
      const late = selection.page(COUNT / 2, COUNT / 2 + 50)
      const early = selection.page(0, 50)
      const pages = lateFirst ? overtaken(late, early) : overtaken(early, late).reverse()
      assert.deepEqual(rowsOf(pages[0] as RowNumbers), lastRows(COUNT / 2, 50))
      assert.deepEqual(rowsOf(pages[1] as RowNumbers), lastRows(0, 50))
      const next = finished(selection.page(50, 100)[Symbol.iterator]())
      assert.deepEqual(rowsOf(next), lastRows(50, 50))
    })
  }
})
