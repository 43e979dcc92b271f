/** A running contender. The code that starts it stops it. */
export type Server = {
  readonly name: string
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  /** The processes whose cost, children included, is the cost of the contender; empty when it cannot be measured. */
  readonly pids: readonly number[]
  /** Time from the command to the first answer that reports readiness. */
  readonly readyMs: number
  readonly stop: () => Promise<void>
}
