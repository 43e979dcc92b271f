/**
 * Tells whether anybody else, in any thread or process, has changed a file of SQLite since it was last asked, without
 * reading a row of it. Changes made through the connection that asks do not count.
 */
import type { SQLOutputValue } from 'node:sqlite'
import type { Database } from './open-sqlite.ts'
import { StandInDatabase } from './stand-in-database.ts'

/**
 * How often it is asked whether anything has changed: in every call, or once in a turn of the event loop. The requests of
 * one turn were all under way when it began, so that none of them can have been sent after a change that it misses; and
 * asking costs more than the rest of authentication.
 */
export type Freshness = 'call' | 'turn'

/** How long a reader may wait for another process to repair the log after a crash; readers wait for nothing else. */
export const READER_TIMEOUT_MS = 5000

/** Gives a number that differs as soon as another connection has committed. */
export function openDataVersion(database: Database, freshness: Freshness): () => SQLOutputValue | undefined {
  // https://sqlite.org/pragma.html#pragma_data_version
  const dataVersion = database.prepare('pragma data_version')
  const ask =
    database instanceof StandInDatabase
      ? () => `${database.generation} ${dataVersion.get()?.data_version}`
      : () => dataVersion.get()?.data_version
  if (freshness === 'call') return ask
  let version: SQLOutputValue | undefined
  let isOfThisTurn = false
  return () => {
    if (isOfThisTurn) return version
    version = ask()
    isOfThisTurn = true
    setImmediate(() => {
      isOfThisTurn = false
    })
    return version
  }
}
