/** Entry point of a thread that runs scripts of endpoints. Its supervisor controls it; script-runs.ts starts it. */
import { setPriority } from 'node:os'
import { type MessagePort, workerData } from 'node:worker_threads'
import { createExecutionRecordBatcher } from '../automation/history/execution-record-batcher.ts'
import { createHistoryWriter } from '../automation/history/writer.ts'
import { RunningScripts } from '../automation/live/running-scripts.ts'
import { createPrograms } from '../automation/runs/programs.ts'
import { REHEARSED } from '../automation/runs/rehearsal.ts'
import { createScriptAnswerer } from '../automation/runs/run-endpoint.ts'
import type { ReadName } from '../automation/runs/run-reads.ts'
import type { AnsweredRun, RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import { warmScripts } from '../automation/runs/warm-scripts.ts'
import { type RunPlace, SharedHeap } from '../script/script.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { startHeartbeat } from '../threads/heartbeats.ts'
import { serveJobChannel } from '../threads/job-channel.ts'
import type { ForScriptRuns, ForScriptThreads, ThreadFunctions } from '../threads/messages.ts'
import { runServices } from './open-thread.ts'
import { openWorker, type WorkerData } from './open-worker.ts'

/** What the supervisor adds for each script thread. */
type ScriptWorkerData = WorkerData & {
  readonly number: number
  readonly heartbeats: SharedArrayBuffer
  readonly jobs: MessagePort
}

const data = workerData as ScriptWorkerData
const { thread, supervisor, serve, metricValues, closeStores, announceCurrent } = await openWorker<
  ForScriptThreads,
  ThreadFunctions & ForScriptRuns
>(data, 'call')
const { history, observe, readServices } = thread
const announce = async (manifest: Manifest) => void (await readServices.announce(manifest))
const writer = createHistoryWriter({
  history,
  observe,
  onSettled: (ids) => void supervisor.runsSettled.asEvent(ids),
})
const records = createExecutionRecordBatcher(writer, observe)
const { endpoints } = thread.store
const programs = createPrograms(endpoints)
/** What the program itself takes. Of the rest, two fifths are for requests, answers and records on their way. */
const OWN_BYTES = 64 * 2 ** 20
const VALUES_PART = 0.6
const heap = new SharedHeap((thread.config.scriptThreadMemory - OWN_BYTES) * VALUES_PART)
const answerJob = createScriptAnswerer({ ...runServices(thread), heap }, programs)
const scripts = new RunningScripts((lines) => supervisor.runsLogged(lines))
const running = new Set<Promise<RecordedRun>>()

function run(job: RunJob, place: RunPlace, told: (read: ReadName) => void): Promise<RecordedRun> {
  const report = reportOf(job, place, told).finally(() => running.delete(report))
  running.add(report)
  return report
}

async function reportOf(job: RunJob, place: RunPlace, told: (read: ReadName) => void): Promise<RecordedRun> {
  // Nobody can watch or cancel a rehearsal, and the history does not know it.
  if (job.endpoint.id === REHEARSED) return (await answerJob(job, undefined, place)).record()
  const control = scripts.begin(job.executionId, told)
  try {
    const answered = await answerJob(job, control, place)
    if (scripts.isWatched) await scripts.told()
    // All but callers get the whole record. A caller needs only the response, so its record is made afterwards.
    if (job.type !== 'DynamicEndpoint') return await recordNow(answered)
    await records.add(answered)
    const { status, response, code } = answered
    return { status, response, code, execution: null, dryRunWrites: [] }
  } finally {
    scripts.end(job.executionId)
  }
}

/** Who asked for the run records it too, before it tells the operator; but that thread may end before it does. */
async function recordNow(answered: AnsweredRun): Promise<RecordedRun> {
  const recorded = await answered.record()
  if (recorded.execution !== null) writer.add(recorded.execution)
  return recorded
}

/** How long cancelled runs may take to end. */
const CLOSE_MS = 1000

const endHeartbeat = startHeartbeat(data.heartbeats, data.number)
serve({
  announce,
  metricValues,
  endRuns: (reason) => scripts.cancelAll(reason),
  cancelRun: (id, reason) => scripts.cancel(id, reason),
  runCounts: () => scripts.counts(),
  watchRuns: (milliseconds) => scripts.watch(milliseconds),
  close: async () => {
    endHeartbeat()
    // Otherwise a run that is still going would be recorded after the history was closed.
    scripts.cancelAll({ kind: 'stopping' })
    await Promise.race([Promise.allSettled(running), new Promise((done) => setTimeout(done, CLOSE_MS))])
    data.jobs.close()
    await records.flush()
    await writer.close()
    await closeStores()
  },
})
await announceCurrent(announce)
serveJobChannel(data.jobs, run)
await warmScripts({ endpoints: endpoints.current, programs, answer: answerJob }).catch(() => undefined)
// Not earlier: /readyz waits for this thread.
yieldToOthers()
await supervisor.ready('scripts')

/**
 * Requests for records go first when processors are scarce. On Linux this sets the priority of the thread alone
 * (setpriority(2), "C library/kernel differences"); elsewhere it would change the whole process.
 */
function yieldToOthers(): void {
  if (process.platform === 'linux') setPriority(19)
}
