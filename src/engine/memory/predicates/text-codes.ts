/**
 * Turns predicates on text columns into sets of dictionary codes. Codes ascend with the folded text, so comparing texts takes
 * two binary searches; texts that are numbers or dates are compared by value and found in the order of their values.
 */
import { compareCodePoints } from '../../../kernel/text.ts'
import type { TextFunction } from '../../../query/ast.ts'
import type { Comparand, Comparison } from '../../../query/plan/plan-nodes.ts'
import type { Dictionary, TextColumn } from '../../../snapshot/partition.ts'
import { lowerBound } from '../indexes/column-index.ts'
import { codesContaining, codesEndingWith } from '../indexes/folded-blocks.ts'
import { codeAt, instantTexts, numericTexts, type ParsedTexts } from '../indexes/parsed-texts.ts'
import { noRanges, type Ranges, rangesOfTable, united } from '../ranges.ts'
import type { Work } from '../work.ts'
import { type ColumnPredicate, onlyNull, valuesIn, type WantedRanges } from './column-predicate.ts'
import { satisfies } from './compare-texts.ts'

export function* textCodes({ dictionary }: TextColumn, predicate: ColumnPredicate): Work<WantedRanges> {
  switch (predicate.kind) {
    case 'is-null':
      return onlyNull
    case 'compare':
      return valuesIn(yield* comparedCodes(dictionary, predicate.comparison, predicate.comparand))
    case 'one-of': {
      const codes: Ranges[] = []
      for (const comparand of predicate.comparands) {
        codes.push(yield* comparedCodes(dictionary, 'eq', comparand))
        if (codes.length % 64 === 0) yield
      }
      return valuesIn(united(codes), predicate.orNull)
    }
    case 'match':
      return valuesIn(yield* matchingCodes[predicate.function](dictionary, predicate.folded))
  }
}

function* comparedCodes(dictionary: Dictionary, comparison: Comparison, comparand: Comparand): Work<Ranges> {
  switch (comparand.as) {
    case 'text':
      return codesByText(dictionary, comparison, comparand.folded, comparand.text)
    case 'number':
      return codesByValue(yield* numericTexts(dictionary), comparison, comparand.value)
    case 'instant':
      return codesByValue(yield* instantTexts(dictionary), comparison, comparand.instant)
    case 'number-or-text': {
      const byText = codesByText(dictionary, comparison, comparand.folded)
      return codesByValue(yield* numericTexts(dictionary), comparison, comparand.value, byText)
    }
    case 'instant-or-text': {
      const byText = codesByText(dictionary, comparison, comparand.folded)
      return codesByValue(yield* instantTexts(dictionary), comparison, comparand.instant, byText)
    }
    case 'boolean': {
      const holds = satisfies[comparison]
      return united(
        [false, true]
          .filter((truth) => holds(Number(truth) - Number(comparand.value)))
          .map((truth) => codesByText(dictionary, 'eq', String(truth))),
      )
    }
  }
}

/** The first place and the place after the last, when equal values are from `from` up to `above`. */
const runs: {
  readonly [C in Comparison]: (from: number, above: number, end: number) => readonly [number, number]
} = {
  eq: (from, above) => [from, above],
  gt: (_, above, end) => [above, end],
  ge: (from, _, end) => [from, end],
  lt: (from) => [0, from],
  le: (_, above) => [0, above],
}

/** @param text tells apart the texts that fold alike; without it they are equal */
function codesByText(dictionary: Dictionary, comparison: Comparison, folded: string, text?: string): Ranges {
  const { size } = dictionary
  let first = codeAt(dictionary, folded)
  let above = first
  while (above < size && dictionary.folded(above) === folded) above++
  if (text !== undefined) {
    first = lowerBound(first, above, (code) => compareCodePoints(dictionary.text(code), text) < 0)
    if (first < above && dictionary.text(first) === text) above = first + 1
    else above = first
  }
  const [from, to] = runs[comparison](first, above, size)
  return from < to ? [from, to - 1] : noRanges
}

/** Up to how many codes are handled one by one instead of in a table of the whole dictionary. */
const FEW = 256

/** Texts that are values compare by their value; all others by their text, if at all. */
function codesByValue<Value>(
  parsed: ParsedTexts<Value>,
  comparison: Comparison,
  value: Value,
  byText: Ranges = noRanges,
): Ranges {
  const { codes, reads, placeOf } = parsed
  if (codes.length === 0) return byText
  const place = placeOf(value)
  const byValue = codes.subarray(...runs[comparison](place.from, place.above, codes.length))
  const [first = 0, last = -1] = byText
  if (byValue.length + last - first >= FEW) return codesByTable(codes, byValue, byText)
  const found = [...byValue]
  for (let code = first; code <= last; code++) if (!reads(code)) found.push(code)
  return united(found.map((code) => [code, code]))
}

function codesByTable(parsed: Int32Array, byValue: Int32Array, byText: Ranges): Ranges {
  const [first = 0, last = -1] = byText
  let size = last + 1
  for (const code of parsed) size = Math.max(size, code + 1)
  const table = new Uint8Array(size)
  table.fill(1, first, last + 1)
  for (const code of parsed) table[code] = 0
  for (const code of byValue) table[code] = 1
  return rangesOfTable(table)
}

const matchingCodes: {
  readonly [F in TextFunction]: (dictionary: Dictionary, folded: string) => Work<Ranges>
} = {
  *startswith(dictionary, folded) {
    const first = codeAt(dictionary, folded)
    const end = lowerBound(first, dictionary.size, (code) => dictionary.folded(code).startsWith(folded))
    return first < end ? [first, end - 1] : noRanges
  },
  *contains(dictionary, folded) {
    return folded === '' ? allCodes(dictionary) : yield* codesContaining(dictionary, folded)
  },
  *endswith(dictionary, folded) {
    return folded === '' ? allCodes(dictionary) : yield* codesEndingWith(dictionary, folded)
  },
}

const allCodes = ({ size }: Dictionary): Ranges => (size === 0 ? noRanges : [0, size - 1])
