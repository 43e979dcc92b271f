/**
 * The sort of the language (language reference, 10.9), to the letter, since it is not stable: the order of elements that count
 * as equal follows from it. It is a generator because a comparison may have to call lambdas; one that answers at once costs
 * no step of it. A comparison may answer anything, even contradict itself: the sort ends all the same.
 */
import { ScriptFailure } from '../../failure.ts'

/**
 * Negative where the left one comes first, positive where the right one does. A comparison that cannot know at once answers a
 * generator that hands out questions of type `Q`, goes on with answers of type `A` and ends with the number.
 */
export type Comparison<T, Q = never, A = never> = (left: T, right: T) => number | Generator<Q, number, A>

/** Up to so many elements are sorted by insertion. */
const FEW = 16

/** Sorts in place, by a comparison that knows at once. */
export function sortNow<T>(items: T[], compare: (left: T, right: T) => number): void {
  introsort<T, never, never>(items, compare).next()
}

/** Sorts in place. */
export function* introsort<T, Q, A>(items: T[], compare: Comparison<T, Q, A>): Generator<Q, void, A> {
  // What lies left of a pivot waits here until what lies right of it is sorted.
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

/** Two or three elements. */
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

/** Puts what is not greater than a pivot before it and what is not less behind it; answers where the pivot is. */
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

/** A pivot that is less or greater than itself lets the search for its place run out of the array. */
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

/** Nodes are counted from 1, so that the children of a node are at twice its number and behind that. */
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
