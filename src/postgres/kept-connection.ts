/**
 * A connection of a pool that is kept while it is used often: taking it from the pool for each statement, and giving it back,
 * costs more processor time than a short statement.
 */
import type { PoolClient } from 'pg'
import type { DatabasePool, HeldConnection } from './connect.ts'

export type KeptConnection = {
  /**
   * Runs `work` on the connection; nothing else may run on it meanwhile. The connection is closed when it broke or `work`
   * failed, and the next work gets another one.
   *
   * @throws Problem PGS1xx for faults of the database
   */
  readonly run: <T>(work: (connection: PoolClient) => Promise<T>) => Promise<T>
  /** Gives the connection back to the pool, when the work on it has ended. */
  readonly close: () => void
}

const IDLE_MS = 1000

/** @param idleMs after how long without work the pool gets the connection back, which closes it later */
export function keepConnection({ hold }: Pick<DatabasePool, 'hold'>, idleMs = IDLE_MS): KeptConnection {
  let held: HeldConnection | undefined
  let isUsed = false
  let isClosed = false
  const giveBack = (failure?: unknown) => {
    held?.release(failure)
    held = undefined
  }
  const idle = setTimeout(() => {
    if (!isUsed) giveBack()
  }, idleMs).unref()

  return {
    run: async (work) => {
      if (held?.isBroken() === true) giveBack()
      isUsed = true
      try {
        held ??= await hold()
        return await work(held.connection)
      } catch (cause) {
        const problem = held?.problemOf(cause) ?? cause
        giveBack(cause ?? new Error('The work failed'))
        throw problem
      } finally {
        isUsed = false
        if (isClosed) giveBack()
        else idle.refresh()
      }
    },
    close: () => {
      isClosed = true
      clearTimeout(idle)
      if (!isUsed) giveBack()
    },
  }
}
