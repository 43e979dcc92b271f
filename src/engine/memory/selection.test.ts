import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everyRow } from './matching-rows.ts'
import { type PageRows, Selection } from './selection.ts'

const COUNT = 100_000
const values = Int32Array.from({ length: COUNT }, (_, row) => -row)
const selectionByValue = () =>
  new Selection(everyRow(COUNT), [{ column: { type: 'integer', values }, texts: null, descending: false }])

/** Takes steps of two works in turn, the first one first, then lets each finish. */
function interleaved(
  first: Iterable<undefined, PageRows>,
  second: Iterable<undefined, PageRows>,
): PageRows[] {
  const works = [first, second].map((work) => work[Symbol.iterator]())
  const results: (PageRows | undefined)[] = [undefined, undefined]
  while (results.includes(undefined)) {
    works.forEach((work, i) => {
      if (results[i] !== undefined) return
      const step = work.next()
      if (step.done) results[i] = step.value
    })
  }
  return results as PageRows[]
}

const rowsOf = ({ ids, from, count }: PageRows) => [...(ids ?? []).slice(from, from + count)]
const lastRows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => COUNT - 1 - from - i)

describe('pages of one selection that are asked for at the same time', () => {
  for (const lateFirst of [true, false]) {
    it(`are each right, and so is every later one, ${lateFirst ? 'the late' : 'the early'} one asked first`, () => {
      const selection = selectionByValue()
      const late = selection.page(50_000, 50_050)
      const early = selection.page(0, 50)
      const pages = lateFirst ? interleaved(late, early) : interleaved(early, late).reverse()
      assert.deepEqual(rowsOf(pages[0] as PageRows), lastRows(50_000, 50))
      assert.deepEqual(rowsOf(pages[1] as PageRows), lastRows(0, 50))
      const [next] = interleaved(selection.page(50, 100), selection.page(0, COUNT))
      assert.deepEqual(rowsOf(next as PageRows), lastRows(50, 50))
    })
  }
})
