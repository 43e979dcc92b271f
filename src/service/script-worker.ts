/** What a thread that runs scripts of endpoints runs, told by its supervisor what to do. Started by script-runs.ts. */
import { setPriority } from 'node:os'
import { type MessagePort, workerData } from 'node:worker_threads'
import { createLaterRecords } from '../automation/history/execution-record-batcher.ts'
import { createHistoryWriter } from '../automation/history/writer.ts'
import { createScriptAnswerer } from '../automation/runs/run-endpoint.ts'
import type { RunJob, RunReport } from '../automation/runs/run-job.ts'
import type { Config } from '../config/load-config.ts'
import { controlStorePath, openControlStore } from '../directory/control-store.ts'
import { historyPath, openHistory } from '../directory/history/open-history.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import { createLogger } from '../observe/logger.ts'
import { createRequestMetrics } from '../observe/metrics.ts'
import { isOfRequest, type Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import { reportWriting } from '../observe/service-health.ts'
import { startHeartbeat } from '../threads/heartbeats.ts'
import { serveJobChannel } from '../threads/job-channel.ts'
import type { ForScriptRuns, ThreadFunctions } from '../threads/messages.ts'
import { superviseThread } from '../threads/supervised-thread.ts'
import { openRecords } from './query-records.ts'
import { openReadServices } from './read-services.ts'

/** What it needs to know; its number and the memory of the heartbeats come from the supervisor. */
export type ScriptThreadData = {
  readonly config: Config
  readonly isTerminal: boolean
  readonly lruClock: SharedArrayBuffer
}

const data = workerData as ScriptThreadData & {
  readonly number: number
  readonly heartbeats: SharedArrayBuffer
  readonly jobs: MessagePort
}
const { config, isTerminal, lruClock } = data
yieldToOthers()
const { supervisor, openFiles, log, serve } = superviseThread<object, ThreadFunctions & ForScriptRuns>(
  lruClock,
)
const metrics = createRequestMetrics()
const { logLevel: level, logFormat: format } = config
const logger = createLogger({ level, format, destination: log, isTerminal })
const observeHere = createObserver({ logger, metrics })
const observe: Observe = (observation) =>
  isOfRequest(observation) ? observeHere(observation) : void supervisor.report(observation)

// Only to wait: the supervisor answers when it has brought the store up to date.
await supervisor.currentManifest()
const store = await openControlStore(controlStorePath(config.data), {
  secretKey: () => secretKey(config),
  onWriting: reportWriting(observe, 'control'),
})
const history = await openHistory(historyPath(config.data), { onWriting: reportWriting(observe, 'history') })
const readServices = openReadServices({ config, observe, openFiles })
const writer = createHistoryWriter({ history, observe })
const records = createLaterRecords(writer, observe)
const answerJob = createScriptAnswerer({
  store,
  notepads: history.notepads,
  records: openRecords(readServices),
  observe,
  historyBodyBytes: config.historyBodyBytes,
})
const stopping = new AbortController()
const running = new Set<Promise<RunReport>>()

function run(job: RunJob): Promise<RunReport> {
  const report = reportOf(job).finally(() => running.delete(report))
  running.add(report)
  return report
}

async function reportOf(job: RunJob): Promise<RunReport> {
  const answered = await answerJob(job, stopping.signal)
  // Whoever tests or runs again gets the record and keeps it; whoever answers a caller needs no more than the response.
  if (job.type !== 'DynamicEndpoint') return answered.report()
  await records.make(answered)
  return { response: answered.response, execution: null, heldWrites: [] }
}

/** How long runs that were cancelled may take to notice. */
const CLOSE_MS = 1000

const endHeartbeat = startHeartbeat(data.heartbeats, data.number)
serve({
  announce: async (manifest) => void (await readServices.announce(manifest)),
  metricValues: metrics.values,
  endRuns: (reason) => stopping.abort(reason),
  close: async () => {
    endHeartbeat()
    // A run that is not over would be recorded after the history was closed.
    stopping.abort('the service was stopped')
    await Promise.race([Promise.allSettled(running), new Promise((done) => setTimeout(done, CLOSE_MS))])
    data.jobs.close()
    await records.made()
    await writer.close()
    await history.close()
    await store.close()
  },
})
// What is announced from now on comes by itself.
const manifest = await supervisor.currentManifest()
if (manifest !== null) await readServices.announce(manifest)
serveJobChannel(data.jobs, run)
await supervisor.ready('scripts')

/**
 * Whoever asks for records goes first when processors are scarce. Linux gives each thread a priority of its own
 * (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the whole process.
 */
function yieldToOthers(): void {
  if (process.platform === 'linux') setPriority(19)
}
