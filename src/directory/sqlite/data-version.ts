/**
 * Tells whether another connection, in any thread or process, has changed a file of SQLite since the last call, without
 * reading a row. Changes made through its own connection do not count.
 */
import type { SQLOutputValue } from 'node:sqlite'
import type { Freshness } from '../database.ts'
import type { Connection } from './open-sqlite.ts'
import { isBusy } from './sqlite-file.ts'
import { StandInDatabase } from './stand-in-database.ts'

type Version = SQLOutputValue | symbol | undefined

/** Returns a function whose value changes as soon as another connection has committed. */
export function openDataVersion(database: Connection, freshness: Freshness): () => Version {
  // https://sqlite.org/pragma.html#pragma_data_version
  const dataVersion = database.prepare('pragma data_version')
  const ask =
    database instanceof StandInDatabase
      ? () => `${database.generation} ${dataVersion.get()?.data_version}`
      : () => dataVersion.get()?.data_version
  const askOrAssume = () => {
    try {
      return ask()
    } catch (error) {
      // Another connection repairs the log after a crash. Until it is done the file counts as changed, and reads wait.
      if (isBusy(error)) return Symbol('busy')
      throw error
    }
  }
  if (freshness === 'call') return askOrAssume
  let version: Version
  let isOfThisTurn = false
  return () => {
    if (isOfThisTurn) return version
    version = askOrAssume()
    isOfThisTurn = true
    setImmediate(() => {
      isOfThisTurn = false
    })
    return version
  }
}
