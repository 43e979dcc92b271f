/**
 * One first run at a time per data folder: the others wait for it, and then find its snapshot. The lock is the operating
 * system's, held through an SQLite file: it ends with the process that holds it, however that process ends.
 */
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

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
    const file = tryLock(path)
    if (file !== null) {
      const release = () => file.close()
      // Not removed before: those who wait hold the same file, those who come later would make another one.
      return { release, done: () => rmSync(path, { force: true }) }
    }
    if (!waited) onWait()
    await sleep(LOOKED_EVERY_MS, undefined, { signal })
  }
}

function tryLock(path: string): DatabaseSync | null {
  try {
    return lockFile(path)
  } catch (error) {
    if (!DAMAGES.has(resultOf(error))) throw error
    // It holds nothing. In its place, since locks belong to the file itself and not to its name.
    truncateSync(path)
    return lockFile(path)
  }
}

function lockFile(path: string): DatabaseSync | null {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if (resultOf(error) === SQLITE.BUSY) return null
    throw error
  }
}

const SQLITE = { BUSY: 5, CORRUPT: 11, NOTADB: 26 } as const
const DAMAGES: ReadonlySet<number | undefined> = new Set([SQLITE.CORRUPT, SQLITE.NOTADB])

/** Without what extended codes add in their higher bits. */
const resultOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
