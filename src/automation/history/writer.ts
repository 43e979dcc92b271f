/**
 * Writes the history behind the runs: what is recorded is gathered and written in batches. Nobody waits for it. When writing
 * cannot keep up, records are given up, which is told. While the disk has no room they wait for it, as long as memory lasts.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { History } from '../../directory/history/history.ts'
import { isForWantOfRoom } from '../../directory/problems.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Execution } from '../../schema/execution-shapes.ts'

export type HistoryWriter = {
  readonly add: (execution: Execution) => void
  /** Writes what is still only gathered. */
  readonly close: () => Promise<void>
}

type Options = {
  readonly history: Pick<History, 'record'>
  readonly observe: Observe
  /** Of text that may wait to be written. */
  readonly mostWaiting?: number
  readonly retryMilliseconds?: number
}

const WRITE_EVERY_MS = 100
/** Records of one transaction: a few milliseconds' work. */
const BATCH = 200
const MOST_WAITING = 64 * 2 ** 20
const RETRY_MS = 2000

export function createHistoryWriter({
  history,
  observe,
  mostWaiting = MOST_WAITING,
  retryMilliseconds = RETRY_MS,
}: Options): HistoryWriter {
  const waiting: Execution[] = []
  let waitingSize = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let isClosing = false

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      const size = batch.reduce((total, execution) => total + sizeOf(execution), 0)
      waitingSize -= size
      try {
        await history.record(batch)
      } catch (cause) {
        if (isForWantOfRoom(cause) && !isClosing) {
          waiting.unshift(...batch)
          waitingSize += size
          clearTimeout(timer)
          timer = setTimeout(begin, retryMilliseconds)
          return
        }
        observe({ kind: 'history-lost', executions: batch.length, reason: (cause as Error).message })
      }
      await turn()
    }
  }
  const begin = () => {
    timer = undefined
    writing = writing.then(write)
  }

  return {
    add: (execution) => {
      const size = sizeOf(execution)
      if (waitingSize + size > mostWaiting) {
        const reason = `more than ${mostWaiting} bytes wait to be written`
        observe({ kind: 'history-lost', executions: 1, reason })
        return
      }
      waitingSize += size
      waiting.push(execution)
      timer ??= setTimeout(begin, WRITE_EVERY_MS)
    },
    close: async () => {
      isClosing = true
      clearTimeout(timer)
      await writing.then(write)
      // One that was under way may have put its batch back and set the timer again.
      clearTimeout(timer)
    },
  }
}

/** About; what counts is the bodies and the log. */
function sizeOf({ request, response, log }: Execution): number {
  const lines = log.reduce((size, { message }) => size + message.length, 0)
  return 2000 + (request.body?.length ?? 0) + (response.body?.length ?? 0) + lines
}
