/**
 * The limit of open files of this process, and a periodic check of how many are open. Node.js raises the limit to the hard
 * limit when it starts. The event loop closes a connection above the limit without an error, which is why the check exists.
 */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { Observe } from './observation.ts'

/** Infinity when there is no limit, or when the system does not report it. */
export function openFileLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return numberOf(/^Max open files\s+(\S+)/m.exec(limits)?.[1])
  } catch {
    // Not Linux. Without this option the report would look up the host names of all peers.
    Reflect.set(process.report, 'excludeNetwork', true)
    const report = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
    return numberOf(report.userLimits?.open_files?.soft)
  }
}

function numberOf(text: string | number | undefined): number {
  const limit = Number(text)
  return limit > 0 ? limit : Number.POSITIVE_INFINITY
}

const LOOK_EVERY_MS = 2000
const TOLD_EVERY_MS = 30_000
/** Files that may be opened between two checks. */
const MARGIN = 4

type Watching = {
  readonly observe: Observe
  readonly limit: number
}

/** Reports when no more files can be opened. @returns a function that ends the check */
export function watchOpenFiles({ observe, limit }: Watching): () => void {
  let toldAt = Number.NEGATIVE_INFINITY
  const look = async () => {
    const open = await openFiles(limit)
    if (open < limit - MARGIN || performance.now() - toldAt < TOLD_EVERY_MS) return
    toldAt = performance.now()
    observe({ kind: 'files-exhausted', found: `${open} of ${limit} files are open` })
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** 0 when the system does not report it. When even this folder cannot be opened, the limit is reached. */
const openFiles = (limit: number): Promise<number> =>
  readdir('/proc/self/fd').then(
    ({ length }) => length,
    (cause) => (isOutOfFiles(cause) ? limit : 0),
  )

/** Checks the message, because an error that is sent between threads keeps only its message. */
export const isOutOfFiles = (cause: unknown): cause is Error =>
  cause instanceof Error && /\bE[MN]FILE\b/.test(cause.message)
