/** Hands on the lines of one turn of the event loop together, and those that still wait when the thread ends. */
import type { LogDestination } from './logger.ts'

export function batchTurn(send: (lines: string) => void): LogDestination {
  let batch = ''
  const flush = () => {
    const lines = batch
    batch = ''
    if (lines !== '') send(lines)
  }
  process.once('exit', flush)
  return {
    write: (lines) => {
      if (batch === '') setImmediate(flush)
      batch += lines
    },
  }
}
