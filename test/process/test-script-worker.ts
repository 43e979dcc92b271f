/** What the tests of script threads start in place of the real one: it does what the path of the request says. */
import { setImmediate as turn } from 'node:timers/promises'
import { type MessagePort, workerData } from 'node:worker_threads'
import type { ReadName } from '../../src/automation/runs/run-reads.ts'
import type { RecordedRun, RunJob } from '../../src/automation/runs/run-states.ts'
import type { RunPlace } from '../../src/script/script.ts'
import { startHeartbeat } from '../../src/threads/heartbeats.ts'
import { serveJobChannel } from '../../src/threads/job-channel.ts'
import type { ForScriptRuns, ThreadFunctions } from '../../src/threads/messages.ts'
import { superviseThread } from '../../src/threads/supervised-thread.ts'

type Data = {
  readonly lruClock: SharedArrayBuffer
  readonly number: number
  readonly heartbeats: SharedArrayBuffer
  readonly jobs: MessagePort
}

const { lruClock, number, heartbeats, jobs } = workerData as Data
const { supervisor, serve } = superviseThread<object, ThreadFunctions & ForScriptRuns>(lruClock)
const endHeartbeat = startHeartbeat(heartbeats, number)

const report = (body: string): RecordedRun => ({
  status: 'Success',
  response: { status: 200, headers: {}, body },
  execution: null,
  dryRunWrites: [],
})

async function run(
  { request }: RunJob,
  place: RunPlace,
  told: (read: ReadName) => void,
): Promise<RecordedRun> {
  told(['client', request.path])
  switch (request.path) {
    case 'stuck':
      for (;;) {}
    case 'blocked':
      // As silent as the loop above, but without taking a processor.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      return report('never')
    case 'crash':
      setImmediate(() => {
        throw new Error('a defect of the thread')
      })
      return new Promise(() => undefined)
    case 'exit':
      return process.exit(3)
    case 'memory': {
      const kept: number[][] = []
      for (;;) {
        kept.push(Array.from({ length: 10_000 }, (_, i) => i + 0.5))
        await turn()
      }
    }
    case 'waits':
      place.leave()
      await place.retake()
      return report(`thread ${number} after a wait`)
    case 'fails':
      throw new Error('the run cannot be made')
    case 'forever':
      return new Promise(() => undefined)
    default:
      return report(`thread ${number}`)
  }
}

serve({
  announce: async () => undefined,
  metricValues: async () => [],
  endRuns: () => undefined,
  cancelRun: () => false,
  runCounts: () => ({}),
  watchRuns: () => undefined,
  close: async () => {
    endHeartbeat()
    jobs.close()
  },
})
serveJobChannel(jobs, run)
await supervisor.ready('scripts')
