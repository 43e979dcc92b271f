/** A contender that runs and answers. Whoever started it stops it. */
export type Server = {
  readonly name: string
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  /** The processes whose cost, with that of their children, is the cost of the contender; none where it cannot be seen. */
  readonly pids: readonly number[]
  /** From the command to the first answer that says it is ready. */
  readonly readyMs: number
  readonly stop: () => Promise<void>
}
