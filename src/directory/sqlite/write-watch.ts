/**
 * Tells when a store can no longer be written, for want of space or rights, and when it can again: each once, however many
 * changes fail in between.
 */
import type { OnWriting } from '../database.ts'
import { isForWantOfRoom, storeNotWritable, whyNotWritable } from '../problems.ts'
import type { Connection } from './open-sqlite.ts'
import { StandInDatabase } from './stand-in-database.ts'

export type WriteWatch = {
  /** What was opened, which may be a stand-in already. */
  readonly opened: (database: Connection, path: string) => void
  readonly worked: () => void
  /** Anything that was thrown; only what tells that the store cannot be written counts. */
  readonly failed: (error: unknown) => void
}

export function watchWrites(onWriting: OnWriting = () => undefined): WriteWatch {
  let isFailing = false
  const failed = (error: unknown) => {
    if (isFailing || !isForWantOfRoom(error)) return
    isFailing = true
    onWriting(whyNotWritable(error))
  }
  const worked = () => {
    if (!isFailing) return
    isFailing = false
    onWriting(null)
  }
  return {
    failed,
    opened: (database, path) => {
      if (!(database instanceof StandInDatabase)) return
      failed(storeNotWritable(path, database.cause))
      database.whenWritable(worked)
    },
    worked,
  }
}
