/**
 * Writes records to the history in batches; runs do not wait for it. Records that exceed the memory for waiting records are
 * dropped and reported. While the disk is full, records wait.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { History } from '../../directory/history/history.ts'
import { isNotWritable } from '../../directory/problems.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Execution } from '../../schema/execution-shapes.ts'

export type HistoryWriter = {
  readonly add: (execution: Execution) => void
  /** Writes the waiting records. */
  readonly close: () => Promise<void>
}

type Options = {
  readonly history: Pick<History, 'record'>
  readonly observe: Observe
  /** Told the ids of the records that were written, or were given up while the service goes on. */
  readonly onSettled?: (ids: readonly string[]) => void
  /** The most memory for waiting records; records beyond it are dropped. */
  readonly maxWaitingBytes?: number
  readonly retryMs?: number
}

const WRITE_EVERY_MS = 100
/** Records of one transaction, which takes a few milliseconds. */
const BATCH = 200
const MAX_WAITING_BYTES = 64 * 2 ** 20
const RETRY_MS = 2000

export function createHistoryWriter({
  history,
  observe,
  onSettled = () => undefined,
  maxWaitingBytes = MAX_WAITING_BYTES,
  retryMs = RETRY_MS,
}: Options): HistoryWriter {
  const waiting: Execution[] = []
  let waitingBytes = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let isClosing = false

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      const size = batch.reduce((total, execution) => total + sizeOf(execution), 0)
      waitingBytes -= size
      try {
        await history.record(batch)
      } catch (cause) {
        if (isNotWritable(cause) && !isClosing) {
          waiting.unshift(...batch)
          waitingBytes += size
          clearTimeout(timer)
          timer = setTimeout(begin, retryMs)
          return
        }
        observe({ kind: 'history-lost', executions: batch.length, reason: (cause as Error).message })
        // The next start finds these runs in the journal, and records that they were.
        if (isClosing) continue
      }
      onSettled(batch.map(({ id }) => id))
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
      if (waitingBytes + size > maxWaitingBytes) {
        const reason = `more than ${maxWaitingBytes} bytes wait to be written`
        observe({ kind: 'history-lost', executions: 1, reason })
        onSettled([execution.id])
        return
      }
      waitingBytes += size
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

/** An estimate: bodies and log make up most of a record. */
function sizeOf({ request, response, log }: Execution): number {
  const lines = log.reduce((size, { message }) => size + message.length, 0)
  return 2000 + (request.body?.length ?? 0) + (response.body?.length ?? 0) + lines
}
