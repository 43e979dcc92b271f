/**
 * Hands on the lines of a thread in batches, and those that still wait when the thread ends. To wake the thread that writes them
 * takes as long as writing a hundred lines, so lines of requests wait for others; all other lines wait for the end of the turn.
 */
import type { LogDestination } from './logger.ts'

const LONGEST_WAIT_MS = 80
/** In characters: more than this does not wait for others. */
const FULL_BATCH = 65_536

export function batchLines(send: (lines: string) => void): LogDestination {
  let batch = ''
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const flush = () => {
    clearTimeout(timer)
    clearImmediate(turn)
    timer = undefined
    turn = undefined
    const lines = batch
    batch = ''
    if (lines !== '') send(lines)
  }
  process.once('exit', flush)
  return {
    write: (lines, mayWait = false) => {
      batch += lines
      if (!mayWait || batch.length >= FULL_BATCH) turn ??= setImmediate(flush)
      else timer ??= setTimeout(flush, LONGEST_WAIT_MS).unref()
    },
  }
}
