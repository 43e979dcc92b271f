/** Puts groups in order: by sort words, as records are, so that any number of groups is sorted without comparisons. */
import type { AggregationPlan } from '../../../query/aggregation.ts'
import type { SortWord } from '../indexes/radix-sort.ts'
import { sortByWords } from '../indexes/radix-sort.ts'
import { doubleWords } from '../indexes/sort-words.ts'
import type { Work } from '../work.ts'
import type { Aggregated } from './aggregates.ts'
import type { Codes } from './dimension-codes.ts'
import type { Grouping } from './group-numbers.ts'
import { inBlocks } from './selected-rows.ts'

/** @returns the places of the groups among those that occur, in final order */
export function* orderGroups(
  { orderBy }: Pick<AggregationPlan, 'orderBy'>,
  codes: readonly Codes[],
  aggregates: readonly Aggregated[],
  grouping: Grouping,
): Work<Int32Array> {
  const { occurring } = grouping
  // The words refer to places among the groups.
  const places = new Int32Array(occurring.length)
  for (let place = 0; place < places.length; place++) places[place] = place
  if (places.length < 2) return places
  const words: SortWord[] = []
  for (const { member, descending } of orderBy) {
    const dimension = codes[member]
    const own = grouping.codes[member]
    const aggregate = aggregates[member - codes.length]
    if (dimension !== undefined && own !== undefined)
      words.push(yield* dimensionWord(dimension, own, descending))
    else if (aggregate !== undefined) words.push(...(yield* aggregateWords(aggregate, descending, occurring)))
  }
  return yield* sortByWords(places, words.toReversed())
}

function* dimensionWord(
  { limit, nullCode, ranks: ranksOf }: Codes,
  own: Int32Array,
  descending: boolean,
): Work<SortWord> {
  const marked = () => {
    const marks = new Uint8Array(Math.max(limit, nullCode + 1))
    for (const code of own) marks[code] = 1
    return marks
  }
  const ranks = yield* ranksOf(marked)
  const flip = descending ? -1 : 0
  return (ids, into, from, to) => {
    for (let i = from; i < to; i++) {
      const code = own[ids[i]!]!
      into[i] = (ranks === null ? code : ranks[code]!) ^ flip
    }
  }
}

function* aggregateWords(
  { sortValues }: Aggregated,
  descending: boolean,
  occurring: Int32Array,
): Work<readonly SortWord[]> {
  const columns: Float64Array[] = []
  yield* inBlocks(occurring.length, (from, to) => {
    for (let place = from; place < to; place++) {
      for (const [part, value] of sortValues(occurring[place]!).entries()) {
        columns[part] ??= new Float64Array(occurring.length)
        columns[part][place] = value
      }
    }
  })
  return columns.flatMap((column) => doubleWords(column, descending))
}
