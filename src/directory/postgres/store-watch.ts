/**
 * Reports when the database of a store cannot be used, and when it can be used again: each once, even if many requests fail
 * in between, and also when no request asks.
 */
import { Problem } from '../../kernel/problem.ts'
import type { DatabasePool } from '../../postgres/connect.ts'
import { isDatabaseAway } from '../../postgres/problems.ts'
import type { OnWriting } from '../database.ts'

export type StoreWatch = {
  /** A transaction was committed. */
  readonly worked: () => void
  /** Takes anything that was thrown; only errors that say that the database cannot be used count. */
  readonly failed: (error: unknown) => void
  readonly close: () => void
}

const TRIED_EVERY_MS = 1000

export function watchStore(pool: DatabasePool, onWriting: OnWriting = () => undefined): StoreWatch {
  let isFailing = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const worked = () => {
    if (!isFailing) return
    isFailing = false
    clearTimeout(timer)
    onWriting(null)
  }
  const tryLater = () => {
    timer = setTimeout(async () => {
      if (await canWrite(pool)) worked()
      else if (isFailing && !isClosed) tryLater()
    }, TRIED_EVERY_MS).unref()
  }
  return {
    worked,
    failed: (error) => {
      if (isFailing || isClosed || !isUnusable(error)) return
      isFailing = true
      onWriting(
        error.hint === undefined ? error.message : `${error.message}. ${error.hint}`,
        isDatabaseAway(error),
      )
      // Only a change shows that a disk has space again.
      if (isDatabaseAway(error)) tryLater()
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Not a statement that took too long, nor a wait for a connection, nor a defect of ours. */
const isUnusable = (error: unknown): error is Problem =>
  isDatabaseAway(error) || (error instanceof Problem && lacksResources(error.cause))

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: classes 53 and 58, such as a full disk. */
const lacksResources = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && /^5[38]/.test(cause.code)

/** False also while a standby, which takes no changes, answers in place of the server. */
async function canWrite(pool: DatabasePool): Promise<boolean> {
  try {
    const asked = "select current_setting('transaction_read_only') as setting"
    const { rows } = await pool.withConnection((connection) => connection.query(asked))
    return rows[0]?.setting === 'off'
  } catch {
    return false
  }
}
