/**
 * Connects a thread to its supervisor, which holds the files of the snapshots and writes the log of the process. The owner of
 * the thread decides what it does on an announcement and how it closes.
 */
import { parentPort } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import { batchLines } from '../observe/line-batch.ts'
import type { LogDestination } from '../observe/logger.ts'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import { openLruClock } from '../snapshot/files/lru-clock.ts'
import { Readers } from '../snapshot/files/readers.ts'
import { heldFile, type SupervisorFunctions, type ThreadFunctions } from './messages.ts'

/** `Asked`: functions of the supervisor for this kind of thread only. `Offered`: functions that the thread offers to it. */
export type SupervisedThread<Asked extends object, Offered extends ThreadFunctions> = {
  readonly supervisor: BirpcReturn<SupervisorFunctions & Asked, object>
  readonly openFiles: OpenCollectionFiles
  /** For a logger. Lines go to the supervisor in batches, so that lines of several threads do not mix. */
  readonly log: LogDestination
  /** Starts to serve calls of the supervisor. */
  readonly serve: (functions: Omit<Offered, 'evict' | 'cutOff'>) => void
}

/** @param lruClock shared memory in which the supervisor reads when each file was last used */
export function superviseThread<Asked extends object, Offered extends ThreadFunctions = ThreadFunctions>(
  lruClock: SharedArrayBuffer,
): SupervisedThread<Asked, Offered> {
  const port = parentPort
  if (port === null) throw new Error('Only a thread can be supervised')
  const listeners: ((sha256: string) => void)[] = []
  const functions: Partial<ThreadFunctions> = {
    evict: (sha256) => {
      for (const evict of listeners) evict(sha256)
    },
    cutOff: (stalledMs) => readers.cutOff(stalledMs),
  }
  const supervisor: BirpcReturn<SupervisorFunctions, object> = createBirpc<SupervisorFunctions, object>(
    functions,
    {
      post: (message) => port.postMessage(message),
      on: (receive) => port.on('message', receive),
      eventNames: ['ready', 'keepOnly', 'hold', 'release', 'report', 'writeLog'],
      bind: 'functions',
      timeout: -1,
    },
  )
  const { note } = openLruClock(lruClock)
  const readers = new Readers({
    hold: (copy, bytes) => void supervisor.hold(copy, bytes),
    release: (copy) => void supervisor.release(copy),
  })
  return {
    supervisor: supervisor as SupervisedThread<Asked, Offered>['supervisor'],
    openFiles: (evict) => {
      listeners.push(evict)
      return {
        load: async (file) => heldFile(await supervisor.loadFile(file)),
        use: note,
        hold: readers.hold,
        keepOnly: (checksums) => void supervisor.keepOnly(checksums),
      }
    },
    log: batchLines((lines) => void supervisor.writeLog(lines)),
    serve: ({ close, ...others }) =>
      Object.assign(functions, others, {
        close: async () => {
          await close()
          // Nothing keeps the thread alive after this, but the port stays open for the last log lines.
          port.unref()
        },
      }),
  }
}
