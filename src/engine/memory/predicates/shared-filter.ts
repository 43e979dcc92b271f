/** A filter for a part that a condition repeats: its rows are found the first time, and kept for the other times. */
import { type Bits, hasRow, type Window } from '../bitmap.ts'
import type { Scope } from '../scope.ts'
import type { Filter } from './filter.ts'

/** @param uses how often the filter is used at most */
export function sharedFilter(filter: Filter, { bitmaps }: Scope, uses: number): Filter {
  if (filter.constant !== undefined) return filter
  let known: { readonly bits: Bits; readonly window: Window } | null = null
  let left = uses
  return {
    ...filter,
    *fill(bits, window) {
      left--
      if (known !== null && holds(known.window, window)) {
        bits.set(known.bits.subarray(window.from, window.to), window.from)
      } else {
        yield* filter.fill(bits, window)
        if (left > 0) {
          const kept = known?.bits ?? bitmaps.take()
          kept.set(bits.subarray(window.from, window.to), window.from)
          known = { bits: kept, window }
        }
      }
      if (left > 0 || known === null) return
      bitmaps.give(known.bits)
      known = null
    },
    test: (row) =>
      known !== null && row >>> 5 >= known.window.from && row >>> 5 < known.window.to
        ? hasRow(known.bits, row)
        : filter.test(row),
  }
}

const holds = (outer: Window, inner: Window): boolean => outer.from <= inner.from && inner.to <= outer.to
