/** One first run at a time per data folder: the others wait for it, and then find its snapshot. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFile } from '../../directory/sqlite/file-lock.ts'

export type FirstRunLock = {
  /** For good: nobody needs it any more. */
  readonly done: () => void
  /** The next one that waits may try. */
  readonly release: () => void
}

const LOOKED_EVERY_MS = 100

/**
 * @param onWait called once, when somebody else holds it
 * @throws the reason of the signal when that comes first
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
      // Not removed before: those who wait hold the same file, those who come later would make another one.
      return { release: lock.release, done: () => rmSync(path, { force: true }) }
    }
    if (!waited) onWait()
    await sleep(LOOKED_EVERY_MS, undefined, { signal })
  }
}
