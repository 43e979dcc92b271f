/**
 * A history that cannot be read is no reason not to answer anybody: it is put aside, for whoever may repair it, and a new one
 * begun. To be called before anything opens the history of the data folder.
 */
import { existsSync, renameSync } from 'node:fs'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { openHistory } from './open-history.ts'

/** @throws Problem what else is wrong: a file of a newer version, a folder that cannot be written */
export async function readableHistory(path: string, observe: Observe): Promise<void> {
  try {
    const history = await openHistory(path)
    await history.close()
  } catch (problem) {
    if (!(problem instanceof Problem && problem.kind === 'damaged')) throw problem
    const movedTo = `${path}.damaged-${new Date().toISOString().replace(/[-:.]/g, '')}`
    for (const companion of ['', '-wal', '-shm']) {
      if (existsSync(path + companion)) renameSync(path + companion, movedTo + companion)
    }
    observe({ kind: 'history-damaged', movedTo, reason: problem.message })
  }
}
