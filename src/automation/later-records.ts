/**
 * Records of runs whose callers have their answers already, made many at a time: in between the runs they cost more, because
 * the code and data of running and of recording keep evicting each other from the processor's caches. What cannot be recorded
 * is told.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Observe } from '../observe/observation.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { AnsweredRun } from './run-endpoint.ts'

export type LaterRecords = {
  readonly make: (run: AnsweredRun) => void
  /** Done when those asked for so far are made, which are then not waited for any longer. */
  readonly made: () => Promise<void>
}

const MAKE_EVERY_MS = 20

/** So many are not waited for: what they hold is let go. */
const MOST_WAITING = 200

/** How long the making may hold the thread: a large body takes milliseconds of its own. */
const SLICE_MS = 5

export function createLaterRecords(writer: Pick<HistoryWriter, 'add'>, observe: Observe): LaterRecords {
  let waiting: AnsweredRun[] = []
  let timer: NodeJS.Timeout | undefined
  let making: Promise<void> = Promise.resolve()

  async function makeAll(runs: readonly AnsweredRun[]): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS
    for (const run of runs) {
      await make(run)
      if (performance.now() < sliceEnd) continue
      await turn()
      sliceEnd = performance.now() + SLICE_MS
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
  function makeWaiting(): void {
    clearTimeout(timer)
    const runs = waiting
    waiting = []
    making = making.then(() => makeAll(runs))
  }

  return {
    make: (run) => {
      const length = waiting.push(run)
      if (length === MOST_WAITING) makeWaiting()
      else if (length === 1) timer = setTimeout(makeWaiting, MAKE_EVERY_MS)
    },
    made: () => {
      makeWaiting()
      return making
    },
  }
}
