/**
 * Adds up the counts of all threads, including ended ones: Prometheus treats a falling sum as a restart, and would count the
 * rest of it twice. When a thread is too busy to answer, its last answer is used.
 */
import { type MetricValues, mergedValues } from '../observe/metrics.ts'

/** How long a request for the metrics waits for one thread. */
const PATIENCE_MS = 1000

export class ThreadMetrics {
  /** The last answer of each thread, by thread number. */
  readonly #lastTold = new Map<number, MetricValues>()
  #ofEnded: MetricValues = []

  /** @param asked a function for each thread that returns its metrics, in the order of their numbers */
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

  /** What the thread has counted since its last answer is lost, as it is when a process ends. */
  async threadEnded(number: number): Promise<void> {
    const lastTold = this.#lastTold.get(number) ?? []
    this.#lastTold.delete(number)
    // A gauge says nothing once its thread has ended.
    const counted = lastTold.filter(({ type }) => String(type) !== 'gauge')
    this.#ofEnded = await mergedValues([this.#ofEnded, counted])
  }
}
