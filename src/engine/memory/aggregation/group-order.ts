/** Puts groups in order: by sort words, as records are, so that any number of groups is sorted without comparisons. */
import type { AggregationPlan } from '../../../query/aggregation.ts'
import type { SortWord } from '../indexes/radix-sort.ts'
import { sortByWords } from '../indexes/radix-sort.ts'
import { doubleWords } from '../indexes/sort-words.ts'
import type { Work } from '../work.ts'
import type { Aggregated } from './aggregates.ts'
import type { Codes } from './dimension-codes.ts'
import type { Grouping } from './group-numbers.ts'
import { inBlocks, inUncountedBlocks } from './selected-rows.ts'

/** @returns the places of the groups among those that occur, in final order */
export function* orderGroups(
  { orderBy, dimensions }: AggregationPlan,
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
  /** The ranks of the dimensions since the last word. */
  let packed: PackedRanks | null = null
  for (const { member, descending } of orderBy) {
    const dimension = codes[member]
    const own = grouping.codes[member]
    const aggregate = aggregates[member - dimensions.length]
    if (dimension !== undefined && own !== undefined) {
      const next: PackedRanks = yield* ranksOfGroups(dimension, own, descending)
      if (packed !== null && packed.limit * next.limit > MOST_WORDS) {
        words.push(wordOf(packed))
        packed = null
      }
      packed = packed === null ? next : yield* packedTogether(packed, next)
    } else if (aggregate !== undefined) {
      if (packed !== null) words.push(wordOf(packed))
      packed = null
      words.push(...(yield* aggregateWords(aggregate, descending, occurring)))
    }
  }
  if (packed !== null) words.push(wordOf(packed))
  return yield* sortByWords(places, words.toReversed())
}

/**
 * Ranks of one or more dimensions in one number, so that they are sorted at once. By default groups are ordered by their dimensions,
 * and often numbered in this order already, which one look at the numbers shows.
 */
type PackedRanks = {
  /** By place of the group. */
  readonly ranks: Uint32Array
  /** Greater than every rank. */
  readonly limit: number
}

const MOST_WORDS = 2 ** 32

const wordOf =
  ({ ranks }: PackedRanks): SortWord =>
  (places, into, from, to) => {
    for (let i = from; i < to; i++) into[i] = ranks[places[i]!]!
  }

function* ranksOfGroups(
  { limit, nullCode, ranks: ranksOf }: Codes,
  own: Int32Array,
  descending: boolean,
): Work<PackedRanks> {
  const marked = () => {
    const marks = new Uint8Array(Math.max(limit, nullCode + 1))
    for (let place = 0; place < own.length; place++) marks[own[place]!] = 1
    return marks
  }
  const byCode = yield* ranksOf(marked)
  const ranks = new Uint32Array(own.length)
  // Not the limit of the codes: ranks of texts may be those of the whole dictionary, which has more spellings than codes.
  let greatest = 0
  yield* inUncountedBlocks(own.length, (from, to) => {
    for (let place = from; place < to; place++) {
      const rank = byCode === null ? own[place]! : byCode[own[place]!]!
      ranks[place] = rank
      if (rank > greatest) greatest = rank
    }
  })
  if (descending) {
    yield* inUncountedBlocks(own.length, (from, to) => {
      for (let place = from; place < to; place++) ranks[place] = greatest - ranks[place]!
    })
  }
  return { ranks, limit: greatest + 1 }
}

/** Changes the ranks before. */
function* packedTogether({ ranks, limit }: PackedRanks, next: PackedRanks): Work<PackedRanks> {
  const { ranks: lower, limit: each } = next
  yield* inUncountedBlocks(ranks.length, (from, to) => {
    for (let place = from; place < to; place++) ranks[place] = ranks[place]! * each + lower[place]!
  })
  return { ranks, limit: limit * each }
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
