/**
 * Makes the records of answered runs many at a time. Between the runs each would cost more, because the code and data of running
 * and of recording evict each other from the processor's caches. Runs that come faster than they can be recorded wait for their
 * answers. A record that cannot be made is reported.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Observe } from '../../observe/observation.ts'
import type { AnsweredRun } from '../runs/run-states.ts'
import type { HistoryWriter } from './writer.ts'

export type ExecutionRecordBatcher = {
  /** Done when there is room for one more, mostly at once. The answer has to wait for it. */
  readonly add: (run: AnsweredRun) => Promise<void>
  /** Done when the records of all runs that were added are made. */
  readonly flush: () => Promise<void>
}

const RECORD_EVERY_MS = 20

/** Runs that may wait for their record, and the characters that they may hold together. */
const MOST_RUNS = 200
const MOST_SIZE = 8 * 2 ** 20

export function createExecutionRecordBatcher(
  writer: Pick<HistoryWriter, 'add'>,
  observe: Observe,
): ExecutionRecordBatcher {
  let waiting: AnsweredRun[] = []
  let timer: NodeJS.Timeout | undefined
  let recording: Promise<void> = Promise.resolve()
  /** Runs without a record, including those whose records are being made. */
  let runs = 0
  let size = 0

  async function recordAll(batch: readonly AnsweredRun[]): Promise<void> {
    // After the answers that are about to leave.
    await nextTurn()
    await nextTurn()
    for (const run of batch) {
      // A large body takes milliseconds of its own.
      if (isTurnDue()) await turn()
      const began = performance.now()
      await recordOne(run)
      heldSince(began)
      runs--
      size -= run.size
    }
  }
  async function recordOne({ record }: AnsweredRun): Promise<void> {
    try {
      const { execution } = await record()
      if (execution !== null) writer.add(execution)
    } catch (cause) {
      observe({ kind: 'history-lost', executions: 1, reason: String(cause) })
    }
  }
  function recordWaiting(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    recording = recording.then(() => recordAll(batch))
    return recording
  }

  return {
    add: async (run) => {
      waiting.push(run)
      runs++
      size += run.size
      if (runs > MOST_RUNS || size > MOST_SIZE) await recordWaiting()
      else timer ??= setTimeout(recordWaiting, RECORD_EVERY_MS)
    },
    flush: recordWaiting,
  }
}
