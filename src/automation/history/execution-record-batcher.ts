/**
 * Makes the records of answered runs in batches. Made one by one between runs, each would cost more, because the code and data of
 * running and of recording evict each other from the processor's caches. When runs come faster than they can be recorded, their
 * answers wait. A record that cannot be made is reported.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Observe } from '../../observe/observation.ts'
import type { AnsweredRun } from '../runs/run-states.ts'
import type { HistoryWriter } from './writer.ts'

export type ExecutionRecordBatcher = {
  /** Resolves when there is room for another run, usually at once. The answer must wait for it. */
  readonly add: (run: AnsweredRun) => Promise<void>
  /** Resolves when the records of all added runs are made. */
  readonly flush: () => Promise<void>
}

const RECORD_EVERY_MS = 20

/** The most runs that wait for their record, and the most that these hold together, in UTF-16 code units. */
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
    // Lets the answers of this turn be sent first.
    await nextTurn()
    await nextTurn()
    for (const run of batch) {
      // Recording a large body takes milliseconds.
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
