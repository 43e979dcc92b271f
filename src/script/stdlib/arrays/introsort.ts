/**
 * The sort of the language (language reference, 10.9). It follows the reference exactly, because it is not stable: the order of
 * equal elements depends on each step. It is a generator because a comparison may call lambdas; a comparison that returns at
 * once takes no step of it. A comparison may return anything and even contradict itself: the sort still ends.
 */
import { ScriptFailure } from '../../failure.ts'

/**
 * Negative if the left one comes first, positive if the right one does. A comparison that has to ask returns a generator: it
 * yields questions of type `Q`, receives answers of type `A` and returns the number.
 */
export type Comparison<T, Q = never, A = never> = (left: T, right: T) => number | Generator<Q, number, A>

/** Up to this many elements are sorted by insertion. */
const FEW = 16

/** Sorts in place, by a comparison that returns at once. */
export function sortNow<T>(items: T[], compare: (left: T, right: T) => number): void {
  introsort<T, never, never>(items, compare).next()
}

/** Sorts in place. */
export function* introsort<T, Q, A>(items: T[], compare: Comparison<T, Q, A>): Generator<Q, void, A> {
  // The elements left of a pivot wait here until those right of it are sorted.
  const waiting: { readonly from: number; readonly size: number; readonly budget: number }[] = []
  let from = 0
  let size = items.length
  let budget = 2 * (32 - Math.clz32(size))
  for (;;) {
    if (size > FEW && budget > 0) {
      budget--
      const pivot = yield* partition(items, from, size, compare)
      waiting.push({ from, size: pivot - from, budget })
      size -= pivot + 1 - from
      from = pivot + 1
      continue
    }
    if (size > FEW) yield* heapSort(items, from, size, compare)
    else if (size > 3) yield* insertionSort(items, from, size, compare)
    else if (size > 1) yield* sortThree(items, from, size, compare)
    const next = waiting.pop()
    if (next === undefined) return
    ;({ from, size, budget } = next)
  }
}

/** Sorts two or three elements. */
function* sortThree<T, Q, A>(
  items: T[],
  from: number,
  size: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, void, A> {
  yield* swapIfGreater(items, from, from + 1, compare)
  if (size === 2) return
  yield* swapIfGreater(items, from, from + 2, compare)
  yield* swapIfGreater(items, from + 1, from + 2, compare)
}

function* swapIfGreater<T, Q, A>(
  items: T[],
  left: number,
  right: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, void, A> {
  const order = compare(items[left] as T, items[right] as T)
  if ((typeof order === 'number' ? order : yield* order) > 0) swap(items, left, right)
}

function* insertionSort<T, Q, A>(
  items: T[],
  from: number,
  size: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, void, A> {
  for (let i = from + 1; i < from + size; i++) {
    const item = items[i] as T
    let place = i
    for (; place > from; place--) {
      const before = items[place - 1] as T
      const order = compare(item, before)
      if (!((typeof order === 'number' ? order : yield* order) < 0)) break
      items[place] = before
    }
    items[place] = item
  }
}

/** Moves elements not greater than a pivot before it and those not less behind it; returns the place of the pivot. */
function* partition<T, Q, A>(
  items: T[],
  from: number,
  size: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, number, A> {
  const last = from + size - 1
  const middle = from + ((size - 1) >> 1)
  yield* swapIfGreater(items, from, middle, compare)
  yield* swapIfGreater(items, from, last, compare)
  yield* swapIfGreater(items, middle, last, compare)
  const pivot = items[middle] as T
  swap(items, middle, last - 1)
  let left = from
  let right = last - 1
  for (;;) {
    for (;;) {
      if (++left > last) throw contradiction()
      const order = compare(items[left] as T, pivot)
      if (!((typeof order === 'number' ? order : yield* order) < 0)) break
    }
    for (;;) {
      if (--right < from) throw contradiction()
      const order = compare(pivot, items[right] as T)
      if (!((typeof order === 'number' ? order : yield* order) < 0)) break
    }
    if (left >= right) break
    swap(items, left, right)
  }
  swap(items, left, last - 1)
  return left
}

/** If a pivot is less or greater than itself, the search for its place leaves the array. */
const contradiction = (): ScriptFailure =>
  new ScriptFailure('JM5002', 'The comparison of a sort contradicts itself')

function* heapSort<T, Q, A>(
  items: T[],
  from: number,
  size: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, void, A> {
  for (let node = size >> 1; node >= 1; node--) yield* siftDown(items, from, node, size, compare)
  for (let rest = size; rest > 1; rest--) {
    swap(items, from, from + rest - 1)
    yield* siftDown(items, from, 1, rest - 1, compare)
  }
}

/** Nodes are numbered from 1, so that node `n` has the children `2n` and `2n + 1`. */
function* siftDown<T, Q, A>(
  items: T[],
  from: number,
  node: number,
  size: number,
  compare: Comparison<T, Q, A>,
): Generator<Q, void, A> {
  const base = from - 1
  const item = items[base + node] as T
  while (node <= size >> 1) {
    let child = 2 * node
    if (child < size) {
      const order = compare(items[base + child] as T, items[base + child + 1] as T)
      if ((typeof order === 'number' ? order : yield* order) < 0) child++
    }
    const larger = items[base + child] as T
    const order = compare(item, larger)
    if (!((typeof order === 'number' ? order : yield* order) < 0)) break
    items[base + node] = larger
    node = child
  }
  items[base + node] = item
}

function swap<T>(items: T[], left: number, right: number): void {
  const item = items[left] as T
  items[left] = items[right] as T
  items[right] = item
}
