/**
 * Reports when a store can no longer be written, because of missing space or rights, and when it can be written again: each
 * once, even if many changes fail in between.
 */
import type { OnWriting } from '../database.ts'
import { isNotWritable, storeNotWritable, whyNotWritable } from '../problems.ts'
import type { Connection } from './open-sqlite.ts'
import { StandInDatabase } from './stand-in-database.ts'

export type WriteWatch = {
  /** Takes the opened connection, which may be a stand-in already. */
  readonly opened: (database: Connection, path: string) => void
  readonly isFailing: () => boolean
  readonly worked: () => void
  /** Takes anything that was thrown; only errors that say that the store cannot be written count. */
  readonly failed: (error: unknown) => void
}

export function watchWrites(onWriting: OnWriting = () => undefined): WriteWatch {
  let isFailing = false
  const failed = (error: unknown) => {
    if (isFailing || !isNotWritable(error)) return
    isFailing = true
    onWriting(whyNotWritable(error))
  }
  const worked = () => {
    if (!isFailing) return
    isFailing = false
    onWriting(null)
  }
  return {
    isFailing: () => isFailing,
    failed,
    opened: (database, path) => {
      if (!(database instanceof StandInDatabase)) return
      failed(storeNotWritable(path, database.cause))
      database.whenWritable(worked)
    },
    worked,
  }
}
