/** Allows one first run at a time per data folder, and per shared database: the others wait for it, and then find what it made. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFile } from '../../directory/sqlite/file-lock.ts'
import type { AdvisoryLock } from '../../postgres/advisory-locks.ts'

export type FirstRunLock = {
  /** Removes the lock file, because there will be no other first run. */
  readonly done: () => void
  /** Lets the next waiting process try. */
  readonly release: () => void
}

const RETRY_EVERY_MS = 100
const ASK_EVERY_MS = 500

/**
 * @param onWait called once, when another process holds the lock
 * @throws the reason of the signal when it is aborted first
 */
export async function lockFirstRun(
  dataFolder: string,
  onWait: () => void,
  signal: AbortSignal,
): Promise<FirstRunLock> {
  const path = join(dataFolder, 'first-run.lock')
  for (let waited = false; ; waited = true) {
    const lock = lockFile(path)
    if ('release' in lock) {
      // The file is removed only by done(): waiting processes have it open, and later ones would make another file.
      return { release: lock.release, done: () => rmSync(path, { force: true }) }
    }
    if (!waited) onWait()
    await sleep(RETRY_EVERY_MS, undefined, { signal })
  }
}

/**
 * The lock of all nodes on a database. When the node that has it dies, the next one gets it.
 *
 * @param onWait called once, when another node holds the lock
 * @throws Problem PGS1xx; the reason of the signal when it is aborted first
 */
export async function lockFirstRunOfNodes(
  url: string,
  onWait: () => void,
  signal: AbortSignal,
): Promise<AdvisoryLock> {
  // Its code is loaded here, because most first runs do not need it.
  const { tryAdvisoryLock } = await import('../../postgres/advisory-locks.ts')
  for (let waited = false; ; waited = true) {
    const lock = await tryAdvisoryLock(url, 'first-run')
    if (lock !== null) return lock
    if (!waited) onWait()
    await sleep(ASK_EVERY_MS, undefined, { signal })
  }
}
