/**
 * The totals that need no counting in the database: those of filters that were counted before, and those that follow from daily
 * counts. Neither ever changes for a version of the data. The daily counts of a version are read beside the questions, once enough
 * of them would have been answered from there; until then, and when there are too many days and values, the database counts.
 */
import { LRUCache } from 'lru-cache'
import type { Cancellation } from '../../../kernel/cancellation.ts'
import { TrialCache } from '../../../kernel/trial-cache.ts'
import { planKey } from '../../../query/plan/plan-key.ts'
import type { QueryPlan } from '../../../query/plan/plan-nodes.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { isUnavailable } from '../../../snapshot/problems.ts'
import type { RecordServer } from '../server.ts'
import {
  countRecords,
  type DailyCounts,
  dailyCountsIn,
  dailyCountsStatement,
  isQuicklyCounted,
} from './daily-counts.ts'
import { dayQuestionOf } from './day-question.ts'

/** Characters of plans whose totals are remembered. */
const TOTALS_WEIGHT = 1 << 20

/** Bytes of all daily counts together. */
const COUNTS_BYTES = 8 << 20
/** What a version takes besides, in bytes. */
const VERSION_BYTES = 512

/** Reading the daily counts takes the database as long as 10 to 20 counts of a large selection. */
const QUESTIONS_BEFORE_READING = 10

/** How many questions daily counts would have answered, or the counts; null where there are too many days and values. */
type Known = { questions: number; counts: DailyCounts | null | undefined }

export type Total = {
  /** Undefined when it is to be counted. */
  readonly known: number | undefined
  /** Remembers what was counted. */
  readonly keep: (total: number) => void
}

export class RememberedTotals {
  readonly #server: Pick<RecordServer, 'ask'>
  readonly #questionsBeforeReading: number
  readonly #totals = new TrialCache<number>(TOTALS_WEIGHT)
  readonly #versions = new LRUCache<string, Known>({ maxSize: COUNTS_BYTES })
  /** One at a time, so that most connections are left for questions. */
  #reading: Promise<void> | null = null
  readonly #cancellation: Cancellation & { aborted: boolean } = { aborted: false }

  constructor(server: Pick<RecordServer, 'ask'>, questionsBeforeReading = QUESTIONS_BEFORE_READING) {
    this.#server = server
    this.#questionsBeforeReading = questionsBeforeReading
  }

  of(plan: QueryPlan, data: PlacedData): Total {
    const { where } = plan
    if (where === null) return { known: data.rows, keep: () => undefined }
    const question = dayQuestionOf(where, data.stored)
    const counts = question === null ? null : this.#countsOf(data)
    if (question !== null && counts !== null && isQuicklyCounted(counts, question)) {
      return { known: countRecords(counts, question), keep: () => undefined }
    }
    const key = `${data.version} ${planKey({ ...plan, orderBy: [], paging: null, select: null })}`
    return {
      known: this.#totals.get(key),
      keep: (total) => this.#totals.keep(key, total, key.length),
    }
  }

  /** Ends the reading of daily counts. */
  async close(): Promise<void> {
    this.#cancellation.aborted = true
    await this.#reading
  }

  #countsOf(data: PlacedData): DailyCounts | null {
    const place = placeOf(data)
    const known = this.#versions.get(place) ?? { questions: 0, counts: undefined }
    if (known.counts !== undefined) return known.counts
    known.questions++
    this.#versions.set(place, known, { size: VERSION_BYTES })
    if (known.questions > this.#questionsBeforeReading && !this.#cancellation.aborted) {
      this.#reading ??= this.#read(data).finally(() => {
        this.#reading = null
      })
    }
    return null
  }

  async #read(data: PlacedData): Promise<void> {
    const keep = (known: Known, size = VERSION_BYTES) => this.#versions.set(placeOf(data), known, { size })
    try {
      const { records } = await this.#server.ask(dailyCountsStatement(data), this.#cancellation)
      const counts = records === null ? null : dailyCountsIn(`${records}`)
      keep({ questions: 0, counts }, VERSION_BYTES + (counts?.bytes ?? 0))
    } catch (cause) {
      // Nobody waits for it: the database counts, and where it took too long, it is not asked again.
      keep({ questions: 0, counts: isUnavailable(cause) ? undefined : null })
    }
  }
}

/** The same version may be in tables that are gone, of a removed snapshot, and in others, where its records were moved. */
const placeOf = ({ version, generation }: PlacedData): string => `${version} ${generation}`
