/** Metrics of refreshes, stores and threads, once for the whole process. */
import type { Registry } from 'prom-client'
import { version } from '../kernel/files/version.ts'
import type { HoldSubject, Recorders, WrittenStore } from './observation.ts'
import { Counter, Gauge, Histogram } from './prometheus.ts'

const refreshSeconds = [1, 5, 15, 30, 60, 120, 300, 600, 1800]

export function processRecorders(registry: Registry) {
  const registers = [registry]
  new Gauge({
    name: 'tripfolio_build_info',
    help: '1, with the version of the program and of Node.js.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1)
  const refreshes = new Counter({
    name: 'tripfolio_refreshes_total',
    help: 'Refreshes by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const running = new Gauge({
    name: 'tripfolio_refresh_running',
    help: '1 while a refresh is being built.',
    registers,
  })
  const duration = new Histogram({
    name: 'tripfolio_refresh_duration_seconds',
    help: 'Duration of refreshes that were published.',
    buckets: refreshSeconds,
    registers,
  })
  const rejects = new Gauge({
    name: 'tripfolio_refresh_rejects',
    help: 'Records set aside by the last published refresh.',
    registers,
  })
  const scheduledWork = new Gauge({
    name: 'tripfolio_scheduled_work',
    help: '1 while this node does the work that one of several nodes does.',
    registers,
  })
  const webhooks = new Counter({
    name: 'tripfolio_webhook_attempts_total',
    help: 'Attempts to deliver webhooks by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const threadsEnded = new Counter({
    name: 'tripfolio_threads_ended_total',
    help: 'Threads that ended unexpectedly and were replaced.',
    registers,
  })
  const runsUnrecorded = new Counter({
    name: 'tripfolio_history_lost_total',
    help: 'Runs of scripts that could not be recorded.',
    registers,
  })
  const runsQueued = new Gauge({
    name: 'tripfolio_script_runs_queued',
    help: 'Runs of scripts that wait to begin.',
    registers,
  })
  const runsWorking = new Gauge({
    name: 'tripfolio_script_runs_running',
    help: 'Runs of scripts that have begun and work; scriptConcurrency limits them.',
    registers,
  })
  const runsAway = new Gauge({
    name: 'tripfolio_script_runs_waiting',
    help: 'Runs of scripts that have begun and wait for something slow, such as a database.',
    registers,
  })
  const logLinesDropped = new Counter({
    name: 'tripfolio_log_lines_dropped_total',
    help: 'Lines of the log that were dropped because its reader did not keep up or has closed the pipe.',
    registers,
  })
  const unwritable = new Gauge({
    name: 'tripfolio_store_unwritable',
    help: '1 while a store cannot be written, for lack of space or rights.',
    labelNames: ['store'],
    registers,
  })
  const holds = new Gauge({
    name: 'tripfolio_held',
    help: '1 while operators hold it: refreshes, schedules, or outbound, which is a quiet installation.',
    labelNames: ['what'],
    registers,
  })
  for (const what of ['refreshes', 'schedules', 'outbound'] satisfies HoldSubject[]) holds.set({ what }, 0)
  for (const store of ['control', 'history', 'snapshots'] satisfies WrittenStore[])
    unwritable.set({ store }, 0)
  return {
    'hold-begun': ({ subject }) => holds.set({ what: subject }, 1),
    'refresh-held': () => undefined,
    'hold-ended': ({ subject }) => holds.set({ what: subject }, 0),
    'writing-failed': ({ store }) => unwritable.set({ store }, 1),
    'writing-resumed': ({ store }) => unwritable.set({ store }, 0),
    'runs-counted': ({ queued, working, away }) => {
      runsQueued.set(queued)
      runsWorking.set(working)
      runsAway.set(away)
    },
    'thread-ended': () => threadsEnded.inc(),
    'history-lost': ({ executions }) => runsUnrecorded.inc(executions),
    // Already counted by history-lost.
    'history-losses': () => undefined,
    'log-lines-dropped': ({ lines }) => logLinesDropped.inc(lines),
    'log-resumed': () => undefined,
    'service-started': () => undefined,
    'service-stopping': () => undefined,
    'store-awaited': () => undefined,
    'store-upgraded': () => undefined,
    'data-folder-shared': () => undefined,
    'service-stopped': () => undefined,
    'runs-cut-off': () => undefined,
    'runs-lost': () => undefined,
    'run-journal-failed': () => undefined,
    'requests-cut-off': () => undefined,
    'files-exhausted': () => undefined,
    'history-damaged': () => undefined,
    'history-not-pruned': () => undefined,
    'failing-endpoints-not-told': () => undefined,
    'scheduled-work-taken': () => scheduledWork.set(1),
    'scheduled-work-gone': () => scheduledWork.set(0),
    'schedule-skipped': () => undefined,
    'schedules-failed': () => undefined,
    'webhook-sent': ({ error }) => webhooks.inc({ outcome: error === null ? 'delivered' : 'failed' }),
    'webhook-paused': () => undefined,
    'webhook-queue-failed': () => undefined,
    'changes-recorded': () => undefined,
    'changes-not-recorded': () => undefined,
    'refresh-not-recorded': () => undefined,
    'threads-limited': () => undefined,
    'keys-in-the-clear': () => undefined,
    'setting-without-effect': () => undefined,
    'secrets-sealed': () => undefined,
    'account-refused': () => undefined,
    'accounts-checked': () => undefined,
    'refresh-started': () => running.set(1),
    'refresh-published': (o) => {
      running.set(0)
      refreshes.inc({ outcome: 'published' })
      duration.observe(o.milliseconds / 1000)
      rejects.set(o.rejects)
    },
    'refresh-refused': () => {
      running.set(0)
      refreshes.inc({ outcome: 'refused' })
    },
    'refresh-failed': () => {
      running.set(0)
      refreshes.inc({ outcome: 'failed' })
    },
    'refresh-stopped': () => {
      running.set(0)
      refreshes.inc({ outcome: 'stopped' })
    },
  } satisfies Partial<Recorders>
}
