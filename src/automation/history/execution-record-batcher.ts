/**
 * Records of runs that have been answered, made many at a time: in between the runs they cost more, because the code and data
 * of running and of recording keep evicting each other from the processor's caches. Runs that come faster than they can be
 * recorded have to wait for their answers. What cannot be recorded is told.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Observe } from '../../observe/observation.ts'
import type { AnsweredRun } from '../runs/run-endpoint.ts'
import type { HistoryWriter } from './writer.ts'

export type LaterRecords = {
  /** Done at once, or once there is room for more. The answer has to wait for it. */
  readonly make: (run: AnsweredRun) => Promise<void>
  /** Done when all records are made that were asked for. */
  readonly made: () => Promise<void>
}

const MAKE_EVERY_MS = 20

/** Runs that may be without a record, and what they may hold together, in characters. */
const MOST_RUNS = 200
const MOST_SIZE = 8 * 2 ** 20

export function createLaterRecords(writer: Pick<HistoryWriter, 'add'>, observe: Observe): LaterRecords {
  let waiting: AnsweredRun[] = []
  let timer: NodeJS.Timeout | undefined
  let making: Promise<void> = Promise.resolve()
  /** Of the runs without a record, those included whose records are being made. */
  let runs = 0
  let size = 0

  async function makeAll(batch: readonly AnsweredRun[]): Promise<void> {
    // After the answers that are about to leave.
    await nextTurn()
    await nextTurn()
    for (const run of batch) {
      // A large body takes milliseconds of its own.
      if (isTurnDue()) await turn()
      const began = performance.now()
      await make(run)
      heldSince(began)
      runs--
      size -= run.size
    }
  }
  async function make({ report }: AnsweredRun): Promise<void> {
    try {
      const { execution } = await report()
      if (execution !== null) writer.add(execution)
    } catch (cause) {
      observe({ kind: 'history-lost', executions: 1, reason: String(cause) })
    }
  }
  function makeWaiting(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    making = making.then(() => makeAll(batch))
    return making
  }

  return {
    make: async (run) => {
      waiting.push(run)
      runs++
      size += run.size
      if (runs > MOST_RUNS || size > MOST_SIZE) await makeWaiting()
      else timer ??= setTimeout(makeWaiting, MAKE_EVERY_MS)
    },
    made: makeWaiting,
  }
}
