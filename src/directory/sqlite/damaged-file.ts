/** Recognises a damaged store and moves its file aside under another name, so that an operator may repair it. */
import { existsSync, renameSync } from 'node:fs'
import { Problem } from '../../kernel/problem.ts'

/** True for a file that is not a database or is damaged, and for tables that cannot be migrated: damage may show there first. */
export const isDamage = (error: unknown): error is Problem =>
  error instanceof Problem && error.kind === 'damaged'

/** Moves the file together with its -wal and -shm companions. @returns the new path */
export function putAside(path: string): string {
  const movedTo = `${path}.damaged-${new Date().toISOString().replace(/[-:.]/g, '')}`
  for (const companion of ['', '-wal', '-shm']) {
    if (existsSync(path + companion)) renameSync(path + companion, movedTo + companion)
  }
  return movedTo
}
