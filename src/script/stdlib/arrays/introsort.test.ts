import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { fails } from '../../testing/context.ts'
import { introsort, sortNow } from './introsort.ts'

type Compare = (left: number, right: number) => number

/** The algorithm as the language reference words it (10.9), on parts that are separate arrays. */
function sortModel(
  part: readonly number[],
  c: Compare,
  budget = 2 * (Math.floor(Math.log2(part.length)) + 1),
): number[] {
  const a = [...part]
  const n = a.length
  const exchange = (i: number, j: number) => {
    const kept = a[i]!
    a[i] = a[j]!
    a[j] = kept
  }
  const test = (i: number, j: number) => {
    if (c(a[i]!, a[j]!) > 0) exchange(i, j)
  }
  if (n <= 1) return a
  if (n === 2) {
    test(0, 1)
    return a
  }
  if (n === 3) {
    test(0, 1)
    test(0, 2)
    test(1, 2)
    return a
  }
  if (n <= 16) {
    for (let i = 0; i < n - 1; i++) {
      const t = a[i + 1]!
      let j = i
      while (j >= 0 && c(t, a[j]!) < 0) {
        a[j + 1] = a[j]!
        j--
      }
      a[j + 1] = t
    }
    return a
  }
  if (budget === 0) {
    const sift = (i: number, size: number) => {
      const item = a[i - 1]!
      while (i <= Math.floor(size / 2)) {
        let child = 2 * i
        if (child < size && c(a[child - 1]!, a[child]!) < 0) child++
        if (!(c(item, a[child - 1]!) < 0)) break
        a[i - 1] = a[child - 1]!
        i = child
      }
      a[i - 1] = item
    }
    for (let i = Math.floor(n / 2); i >= 1; i--) sift(i, n)
    for (let i = n; i > 1; i--) {
      exchange(0, i - 1)
      sift(1, i - 1)
    }
    return a
  }
  const hi = n - 1
  const mid = hi >> 1
  test(0, mid)
  test(0, hi)
  test(mid, hi)
  const pivot = a[mid]!
  exchange(mid, hi - 1)
  let left = 0
  let right = hi - 1
  for (;;) {
    do left++
    while (c(a[left]!, pivot) < 0)
    do right--
    while (c(pivot, a[right]!) < 0)
    if (left >= right) break
    exchange(left, right)
  }
  if (left !== hi - 1) exchange(left, hi - 1)
  const afterPivot = sortModel(a.slice(left + 1), c, budget - 1)
  const beforePivot = sortModel(a.slice(0, left), c, budget - 1)
  return [...beforePivot, a[left]!, ...afterPivot]
}

/** Compares by tens, so that the units show the order of ties. */
const byTens: Compare = (left, right) => Math.floor(left / 10) - Math.floor(right / 10)

/** Decides the order during the sort, so that every pivot is among the least elements (McIlroy). */
function adversary(): Compare {
  const solid = new Map<number, number>()
  let candidate = -1
  return (left, right) => {
    if (!solid.has(left) && !solid.has(right)) solid.set(left === candidate ? left : right, solid.size)
    if (!solid.has(left)) candidate = left
    else if (!solid.has(right)) candidate = right
    return (solid.get(left) ?? Number.MAX_VALUE) - (solid.get(right) ?? Number.MAX_VALUE)
  }
}

/** All comparisons of a sort, in order, and the result. */
function recorded(compare: Compare, sort: (compare: Compare) => readonly number[]) {
  const asked: (readonly [number, number])[] = []
  const sorted = sort((left, right) => {
    asked.push([left, right])
    return compare(left, right)
  })
  return { asked, sorted }
}

function sorted(items: readonly number[], compare: Compare): readonly number[] {
  const copy = [...items]
  sortNow(copy, compare)
  return copy
}

/** Every comparison asks the caller, as comparisons by lambdas do. */
function sortedByAsking(items: readonly number[], compare: Compare): readonly number[] {
  const copy = [...items]
  type Question = readonly [number, number]
  const sorting = introsort<number, Question, number>(copy, function* ask(left, right) {
    return yield [left, right]
  })
  for (let step = sorting.next(); step.done !== true; ) step = sorting.next(compare(...step.value))
  return copy
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

describe('introsort', () => {
  const sizes = [0, 1, 2, 3, 4, 15, 16, 17, 18, 33, 100, 1000]
  for (const size of sizes) {
    it(`compares ${size} elements as the algorithm does, in its order`, () => {
      const items = upTo(size).map((i) => (i * 7919) % 613)
      const model = recorded(byTens, (compare) => sortModel(items, compare))
      for (const sort of [sorted, sortedByAsking]) {
        const ours = recorded(byTens, (compare) => sort(items, compare))
        // Printing the difference of two long lists takes far longer than sorting.
        assert.ok(isDeepStrictEqual(ours, model), sort.name)
      }
    })
  }

  it('orders ties as the algorithm does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(99), { maxLength: 200 }), (items) => {
        assert.deepEqual(sorted(items, byTens), sortModel(items, byTens))
      }),
    )
  })

  it('sorts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 500 }), (items) => {
        const compare: Compare = (left, right) => left - right
        assert.deepEqual(sorted(items, compare), items.toSorted(compare))
        assert.deepEqual(sortedByAsking(items, compare), items.toSorted(compare))
      }),
    )
  })

  it('changes to a heap sort when pivots are bad, as the algorithm does', () => {
    const items = upTo(3000)
    const model = recorded(adversary(), (compare) => sortModel(items, compare))
    const ours = recorded(adversary(), (compare) => sorted(items, compare))
    assert.ok(isDeepStrictEqual(ours, model))
    assert.ok(ours.asked.length < 3000 * 12 * 5, `${ours.asked.length} comparisons`)
  })

  it('ends without losing elements, whatever a comparison returns', () => {
    const answers = fc.infiniteStream(fc.constantFrom(-1, 0, 1, Number.NaN))
    fc.assert(
      fc.property(fc.nat(300), answers, (size, stream) => {
        const items = upTo(size)
        const copy = [...items]
        try {
          sortNow(copy, () => stream.next().value as number)
        } catch (failure) {
          fails('JM5002', () => {
            throw failure
          })
          return
        }
        assert.deepEqual(
          copy.toSorted((left, right) => left - right),
          items,
        )
      }),
    )
  })

  for (const answer of [-1, 1]) {
    it(`ends where everything is ${answer < 0 ? 'less' : 'greater'} than everything`, () => {
      const sort = () => sortNow(upTo(100), () => answer)
      if (answer < 0) fails('JM5002', sort)
      else sort()
    })
  }

  it('ends when a pivot is less than everything before it, and than itself', () => {
    fails('JM5002', () => sortNow(upTo(100), (left) => (left === 49 ? -1 : 0)))
  })
})
