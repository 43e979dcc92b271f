/** `any`: a record matches when one of its elements satisfies the condition. Filters the elements first, as separate rows. */
import { type Bits, rowsIn, type Window, wordsFor } from '../bitmap.ts'
import type { ElementScope, Scope } from '../scope.ts'
import type { Work } from '../work.ts'
import { ASKED, type Filter } from './filter.ts'

export function anyElement(elements: ElementScope, condition: Filter | null, records: Scope): Filter {
  return condition === null ? notEmpty(elements, records) : someElement(elements, condition, records)
}

function notEmpty({ offsets }: ElementScope, { count }: Scope): Filter {
  return {
    atMost: count,
    effort: count,
    effortPerRow: ASKED,
    *fill(bits, window) {
      yield rowsIn(window)
      for (let w = window.from; w < window.to; w++) {
        const record = w << 5
        const records = Math.min(32, count - record)
        let word = 0
        for (let bit = 0; bit < records; bit++) {
          word |= +(offsets[record + bit + 1]! > offsets[record + bit]!) << bit
        }
        bits[w] = word
      }
    },
    test: (record) => offsets[record + 1]! > offsets[record]!,
  }
}

function someElement(elements: ElementScope, condition: Filter, { count }: Scope): Filter {
  const { offsets, bitmaps } = elements
  return {
    atMost: Math.min(count, condition.atMost),
    effort: condition.effort + elements.count / 32,
    effortPerRow: ASKED + (condition.effortPerRow * elements.count) / (count + 1),
    *fill(bits, window) {
      const matching = bitmaps.take()
      const elementWindow = elementsOf(elements, window, count)
      yield* condition.fill(matching, elementWindow)
      yield* addRecordsOf(elements, matching, elementWindow, bits, window)
      bitmaps.give(matching)
    },
    test: (record) => {
      const end = offsets[record + 1]!
      for (let element = offsets[record]!; element < end; element++) if (condition.test(element)) return true
      return false
    },
  }
}

/** The elements of the window's records, possibly with some elements of neighbouring records at both ends. */
function elementsOf({ offsets }: ElementScope, { from, to }: Window, count: number): Window {
  const first = offsets[Math.min(from << 5, count)]!
  const end = offsets[Math.min(to << 5, count)]!
  return { from: first >>> 5, to: Math.max(first >>> 5, wordsFor(end)) }
}

/** An element of a neighbouring record may set a bit outside of the window, where bits have no meaning. */
function* addRecordsOf(
  { recordOf }: ElementScope,
  matching: Bits,
  elementWindow: Window,
  bits: Bits,
  window: Window,
): Work<void> {
  const records = yield* recordOf()
  bits.fill(0, window.from, window.to)
  let found = 0
  for (let w = elementWindow.from; w < elementWindow.to; w++) {
    for (let left = matching[w]! | 0; left !== 0; left &= left - 1) {
      const record = records[(w << 5) + 31 - Math.clz32(left & -left)]!
      bits[record >>> 5] = bits[record >>> 5]! | (1 << record)
      found++
    }
    if (w % WORDS_PER_BLOCK === WORDS_PER_BLOCK - 1) {
      yield found
      found = 0
    }
  }
  if (found > 0) yield found
}

const WORDS_PER_BLOCK = 1 << 12
