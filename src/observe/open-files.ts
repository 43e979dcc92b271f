/**
 * How many files this process may have open, and a look now and then at how many it has. Node.js raises the limit to the
 * hard one when it starts. A connection that finds no room is closed by the event loop without a word, hence the look.
 */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { Observe } from './observation.ts'

/** Infinity where there is none, or where the system does not tell. */
export function openFileLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return numberOf(/^Max open files\s+(\S+)/m.exec(limits)?.[1])
  } catch {
    // Not Linux. The report would otherwise look up the names of all peers.
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
/** What is opened and closed between two looks. */
const MARGIN = 4

type Watching = {
  readonly observe: Observe
  readonly limit: number
}

/** Reports when there is no room for more. @returns what ends it */
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

/** 0 where the system does not tell. Where there is no room to look, there is none for anything. */
const openFiles = (limit: number): Promise<number> =>
  readdir('/proc/self/fd').then(
    ({ length }) => length,
    (cause) => (isOutOfFiles(cause) ? limit : 0),
  )

/** By its message, which is all that an error keeps on its way from thread to thread. */
export const isOutOfFiles = (cause: unknown): cause is Error =>
  cause instanceof Error && /\bE[MN]FILE\b/.test(cause.message)
