/** Damaged files of stores that can be begun anew: put aside under another name, for whoever may repair them. */
import { existsSync, renameSync } from 'node:fs'
import { Problem } from '../../kernel/problem.ts'

/** Not a database, or a damaged one. Tables that cannot be brought up to date count as well: damage may show there first. */
export const isDamage = (error: unknown): error is Problem =>
  error instanceof Problem && error.kind === 'damaged'

/** @returns where the file is now; what SQLite keeps beside it goes along */
export function putAside(path: string): string {
  const movedTo = `${path}.damaged-${new Date().toISOString().replace(/[-:.]/g, '')}`
  for (const companion of ['', '-wal', '-shm']) {
    if (existsSync(path + companion)) renameSync(path + companion, movedTo + companion)
  }
  return movedTo
}
