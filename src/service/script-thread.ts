/** What a thread that runs scripts of endpoints runs, told by its supervisor what to do. Started by script-service.ts. */
import { setPriority } from 'node:os'
import { type MessagePort, workerData } from 'node:worker_threads'
import { createExecutionRecordBatcher } from '../automation/history/execution-record-batcher.ts'
import { createHistoryWriter } from '../automation/history/writer.ts'
import { createScriptAnswerer } from '../automation/runs/run-endpoint.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import type { Config } from '../config/load-config.ts'
import { openStores } from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import { createLogger } from '../observe/logger.ts'
import { createRequestMetrics } from '../observe/metrics.ts'
import { isOfRequest, type Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import { reportWriting } from '../observe/service-health.ts'
import { startPulse } from '../threads/heartbeats.ts'
import { serveJobLane } from '../threads/job-channel.ts'
import type { ForScriptRuns, ThreadFunctions } from '../threads/messages.ts'
import { superviseThread } from '../threads/supervised-thread.ts'
import { openRecords } from './query-records.ts'
import { openAnswering } from './read-services.ts'

/** What it needs to know; its number and the memory of the pulses come from the supervisor. */
export type ScriptThreadData = {
  readonly config: Config
  readonly isTerminal: boolean
  readonly lastUses: SharedArrayBuffer
}

const data = workerData as ScriptThreadData & {
  readonly number: number
  readonly pulses: SharedArrayBuffer
  readonly jobs: MessagePort
}
const { config, isTerminal, lastUses } = data
yieldToOthers()
const { supervisor, openFiles, log, obey } = superviseThread<object, ThreadFunctions & ForScriptRuns>(
  lastUses,
)
const metrics = createRequestMetrics()
const { logLevel: level, logFormat: format } = config
const logger = createLogger({ level, format, destination: log, isTerminal })
const observeHere = createObserver({ logger, metrics })
const observe: Observe = (observation) =>
  isOfRequest(observation) ? observeHere(observation) : void supervisor.report(observation)

// Only to wait: the supervisor answers when it has brought the store up to date.
await supervisor.currentManifest()
const stores = await openStores(config.data, {
  control: { secretKey: () => secretKey(config), onWriting: reportWriting(observe, 'control') },
  history: { onWriting: reportWriting(observe, 'history') },
})
const { control: store, history } = stores
const answering = openAnswering({ config, observe, openFiles })
const writer = createHistoryWriter({ history, observe })
const records = createExecutionRecordBatcher(writer, observe)
const answerJob = createScriptAnswerer({
  store,
  notepads: history.notepads,
  records: openRecords(answering),
  observe,
  historyBodyBytes: config.historyBodyBytes,
})
const stopping = new AbortController()
const running = new Set<Promise<RecordedRun>>()

function run(job: RunJob): Promise<RecordedRun> {
  const report = reportOf(job).finally(() => running.delete(report))
  running.add(report)
  return report
}

async function reportOf(job: RunJob): Promise<RecordedRun> {
  const answered = await answerJob(job, stopping.signal)
  // Trials and reruns keep the record that they get here; a caller needs no more than the response.
  if (job.type !== 'DynamicEndpoint') return answered.record()
  await records.add(answered)
  return { response: answered.response, execution: null, dryRunWrites: [] }
}

/** How long runs that were cancelled may take to notice. */
const CLOSE_MS = 1000

const endPulse = startPulse(data.pulses, data.number)
obey({
  announce: async (manifest) => void (await answering.announce(manifest)),
  metricValues: metrics.values,
  endRuns: (reason) => stopping.abort(reason),
  close: async () => {
    endPulse()
    // A run that is not over would be recorded after the history was closed.
    stopping.abort('the service was stopped')
    await Promise.race([Promise.allSettled(running), new Promise((done) => setTimeout(done, CLOSE_MS))])
    data.jobs.close()
    await records.flush()
    await writer.close()
    await stores.close()
  },
})
// What is announced from now on comes by itself.
const manifest = await supervisor.currentManifest()
if (manifest !== null) await answering.announce(manifest)
serveJobLane(data.jobs, run)
await supervisor.ready('scripts')

/**
 * Whoever asks for records goes first when processors are scarce. Linux gives each thread a priority of its own
 * (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the whole process.
 */
function yieldToOthers(): void {
  if (process.platform === 'linux') setPriority(19)
}
