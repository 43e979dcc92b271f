/**
 * A thread's end of the line to the supervisor: the files that the supervisor holds, the log and the metrics of the whole
 * process. What is announced and how the thread closes is for its owner to say.
 */
import { parentPort } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import { openLruClock } from '../snapshot/files/lru-clock.ts'
import { Readers } from '../snapshot/files/readers.ts'
import type { SupervisorFunctions, ThreadFunctions } from './messages.ts'

/** `Asked` is what threads of this kind may ask beside what all of them may, `Offered` what they do. */
export type SupervisedThread<Asked extends object, Offered extends ThreadFunctions> = {
  readonly supervisor: BirpcReturn<SupervisorFunctions & Asked, object>
  readonly openFiles: OpenCollectionFiles
  /** For a logger: lines go to the supervisor in batches, so that those of several threads do not mix. */
  readonly log: { readonly write: (line: string) => void }
  /** From now on the thread does what the supervisor asks. */
  readonly serve: (functions: Omit<Offered, 'evict' | 'cutOff'>) => void
}

/** @param lruClock the supervisor's memory of when each file was used last */
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
        load: (file) => supervisor.loadFile(file),
        use: note,
        hold: readers.hold,
        keepOnly: (checksums) => void supervisor.keepOnly(checksums),
      }
    },
    log: batches((lines) => void supervisor.writeLog(lines)),
    serve: ({ close, ...others }) =>
      Object.assign(functions, others, {
        close: async () => {
          await close()
          // Nothing keeps the thread alive after this. The port stays open for the last lines of the log.
          port.unref()
        },
      }),
  }
}

const batchLength = 16_384
const batchMs = 100

function batches(send: (lines: string) => void): { readonly write: (line: string) => void } {
  let batch = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (batch !== '') send(batch)
    batch = ''
  }
  process.once('exit', flush)
  return {
    write: (line) => {
      batch += line
      if (batch.length > batchLength) flush()
      else timer ??= setTimeout(flush, batchMs).unref()
    },
  }
}
