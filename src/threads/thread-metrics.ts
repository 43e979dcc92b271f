/**
 * The counts of all threads, those that have ended included: Prometheus takes a sum that falls for a restart, and would count
 * what is left of it a second time. For a thread that is too busy to answer, its last answer counts.
 */
import { type MetricValues, mergedValues } from '../observe/metrics.ts'

/** How long a look at the metrics waits for one thread. */
const PATIENCE_MS = 1000

export class ThreadMetrics {
  /** The last answer of each thread, by its number. */
  readonly #lastTold = new Map<number, MetricValues>()
  #ofEnded: MetricValues = []

  /** @param asked one question for each thread, in the order of their numbers */
  async collect(asked: readonly (() => Promise<MetricValues>)[]): Promise<readonly MetricValues[]> {
    const told = await Promise.all(asked.map((ask, number) => this.#tellsInTime(number, ask)))
    return [this.#ofEnded, ...told]
  }

  async #tellsInTime(number: number, ask: () => Promise<MetricValues>): Promise<MetricValues> {
    const lastTold = this.#lastTold.get(number) ?? []
    const { promise: impatience, resolve } = Promise.withResolvers<MetricValues>()
    const timer = setTimeout(resolve, PATIENCE_MS, lastTold)
    const answer = ask().then(
      (values) => {
        this.#lastTold.set(number, values)
        return values
      },
      () => lastTold,
    )
    return Promise.race([answer, impatience]).finally(() => clearTimeout(timer))
  }

  /** What it has counted since it was last asked is lost, as it is when a process ends. */
  async threadEnded(number: number): Promise<void> {
    const lastTold = this.#lastTold.get(number) ?? []
    this.#lastTold.delete(number)
    // How things stand in a thread that is no more is of no interest.
    const counted = lastTold.filter(({ type }) => String(type) !== 'gauge')
    this.#ofEnded = await mergedValues([this.#ofEnded, counted])
  }
}
