/** Damaged files of stores that can be begun anew: put aside under another name, for whoever may repair them. */
import { existsSync, renameSync } from 'node:fs'
import { Problem, type ProblemCode } from '../../kernel/problem.ts'

/** No database, or a damaged one; tables that cannot be brought up to date, which is how damage may show. */
const UNREADABLE: ReadonlySet<ProblemCode> = new Set(['DIR102', 'DIR107'])

export const isDamage = (error: unknown): error is Problem =>
  error instanceof Problem && UNREADABLE.has(error.code)

/** @returns where the file is now; what SQLite keeps beside it goes along */
export function putAside(path: string): string {
  const movedTo = `${path}.damaged-${new Date().toISOString().replace(/[-:.]/g, '')}`
  for (const companion of ['', '-wal', '-shm']) {
    if (existsSync(path + companion)) renameSync(path + companion, movedTo + companion)
  }
  return movedTo
}
