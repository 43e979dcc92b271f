/**
 * Tells whether anybody else, in any thread or process, has changed a file of SQLite since it was last asked, without
 * reading a row of it. Changes made through the connection that asks do not count.
 */
import type { SQLOutputValue } from 'node:sqlite'
import type { Freshness } from '../database.ts'
import type { Connection } from './open-sqlite.ts'
import { isBusy } from './sqlite-file.ts'
import { StandInDatabase } from './stand-in-database.ts'

type Version = SQLOutputValue | symbol | undefined

/** Gives a value that differs as soon as another connection has committed. */
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
      // Somebody repairs the log after a crash: until it can be asked it counts as changed, and reading waits for the repair.
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
