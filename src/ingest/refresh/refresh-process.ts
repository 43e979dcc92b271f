/**
 * Runs a refresh in a process of its own, so that reading gigabytes never delays a request and its memory is freed when it
 * ends. The process runs `refresh-child.ts`, takes its order as a message and answers with one. A process that takes too long is asked to end, and
 * is killed when it does not: its lock ends with it, and the next refresh removes what it left.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { showSource } from '../../config/extract-source.ts'
import type { Config } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import type { RefreshProgress, RefreshRequest, RefreshSummary } from '../cycle.ts'
import type { RefreshReport, Refusal } from './refresh-report.ts'

export type RefreshSettings = Pick<
  Config,
  | 'data'
  | 'mapping'
  | 'maxRejectShare'
  | 'maxTableShrink'
  | 'maxClientsEmptied'
  | 'labelsPerClient'
  | 'offsetTimes'
  | 'retainSnapshots'
  | 'refreshTimeLimitSeconds'
> &
  Partial<Pick<Config, 'store' | 'snapshots' | 'engineUrl'>> & {
    readonly snapshotCacheBytes?: number | undefined
    readonly changesDays?: number | undefined
    readonly engine?: Config['engine'] | undefined
  }

export type ProcessOptions = {
  readonly acceptShrink?: boolean
  readonly signal?: AbortSignal | undefined
  /** How long the process may take to end by itself after SIGTERM. */
  readonly graceMs?: number
  /** Reports the process, for tests that signal it. */
  readonly onStart?: (pid: number | undefined) => void
  readonly onProgress?: (progress: RefreshProgress) => void
  /** Called before the refresh is over, unless its process was killed. */
  readonly onFindings?: (findings: ProcessFindings) => void
}

/** What the process found, and why it refused. */
export type ProcessFindings = {
  readonly report?: RefreshReport | null
  readonly refusal?: Refusal
}

export type Refreshed = Pick<RefreshSummary, 'snapshot' | 'rejects' | 'warnings' | 'isUnchanged'>

/** The first message to the process, plain data. It may hold a password, which an argument would show to all users. */
export type RefreshOrder = Omit<
  RefreshRequest,
  'observe' | 'announce' | 'onProgress' | 'onReport' | 'signal' | 'destination'
> &
  Pick<RefreshSettings, 'snapshots' | 'snapshotCacheBytes' | 'engine'>

/** The answer of the process. A process that is killed or that fails unexpectedly does not answer. */
export type RefreshAnswer = { readonly report: RefreshReport | null } & (
  | { readonly published: Refreshed }
  /** The text of the problem as a command prints it, and the same as data. */
  | { readonly refused: string; readonly refusal: Refusal }
)

/** Progress comes before the answer, any number of times. */
export type RefreshMessage = RefreshAnswer | { readonly progress: RefreshProgress }

/** Shorter than the time that a service has to stop. */
const GRACE_MS = 5000

/**
 * @throws Problem SRV301 when the refresh was refused, SRV303 when it took too long, SRV304 when it was stopped or its
 *   process ended otherwise; the current snapshot is unharmed
 */
export async function refreshInProcess(
  config: RefreshSettings,
  from: string,
  observe: Observe,
  options: ProcessOptions = {},
): Promise<Refreshed> {
  const source = showSource(from)
  observe({ kind: 'refresh-started', source })
  const started = performance.now()
  const { code, signal, ending, answer, complaint } = await runChild(config, from, options)
  if (answer !== null) {
    const { report } = answer
    options.onFindings?.('refused' in answer ? { report, refusal: answer.refusal } : { report })
  }
  // An answer counts even if the time limit has passed meanwhile.
  if (answer === null || 'refused' in answer) {
    const seconds = config.refreshTimeLimitSeconds
    const reason = answer?.refused ?? complaint.trim()
    const refused = ending === 'none' && signal === null && reason !== ''
    if (refused) {
      observe({ kind: 'refresh-refused', source, code: 'SRV301', reason })
      throw refreshRefused(source, reason)
    }
    // A process that ends by itself when the service stops is not a failure; one that has to be killed is.
    if (ending === 'stopped' && signal !== 'SIGKILL') {
      observe({ kind: 'refresh-stopped', source })
      throw refreshEnded(source, 'it was stopped')
    }
    const how =
      ending === 'stopped' ? 'it did not end when it was told to stop, and was killed' : endOf(code, signal)
    const problem = ending === 'time limit' ? refreshTooLong(source, seconds) : refreshEnded(source, how)
    observe({ kind: 'refresh-failed', cause: problem })
    throw problem
  }
  const { snapshot, rejects } = answer.published
  observe({ kind: 'refresh-published', snapshot, rejects, milliseconds: performance.now() - started })
  return answer.published
}

const refreshRefused = (source: string, reason: string): Problem =>
  new Problem('SRV301', `The refresh from '${source}' failed: ${reason}`, {
    hint: 'The current snapshot stays in use. Correct the extract, then refresh again or run `tripfolio ingest`.',
  })

const refreshTooLong = (source: string, seconds: number): Problem =>
  new Problem('SRV303', `The refresh from '${source}' was ended because it took longer than ${seconds} s`, {
    hint: 'The current snapshot stays in use. Find out what slowed it down, or raise the setting refreshTimeLimitSeconds.',
  })

const refreshEnded = (source: string, how: string): Problem =>
  new Problem('SRV304', `The refresh from '${source}' ended without a result: ${how}`, {
    hint: 'The current snapshot stays in use. If its process was killed, the machine may lack memory.',
  })

const endOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`

type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why the service asked the process to end; `none` when it did not. */
  readonly ending: 'none' | 'time limit' | 'stopped'
  /** Null when the process ended without an answer. */
  readonly answer: RefreshAnswer | null
  /** The text that the process wrote to standard error. */
  readonly complaint: string
}

async function runChild(
  config: RefreshSettings,
  source: string,
  { acceptShrink = false, signal: stop, graceMs = GRACE_MS, onStart, onProgress }: ProcessOptions,
): Promise<Ended> {
  stop?.throwIfAborted()
  const child = startChild(config, source, acceptShrink)
  let answer: RefreshAnswer | null = null
  child.on('message', (message: RefreshMessage) => {
    if ('progress' in message) onProgress?.(message.progress)
    else answer = message
  })
  const ended = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  onStart?.(child.pid)
  let ending: Ended['ending'] = 'none'
  let killing: NodeJS.Timeout | undefined
  const end = (why: Ended['ending']) => {
    if (ending !== 'none') return
    ending = why
    child.kill('SIGTERM')
    // A process that hangs does not react to SIGTERM.
    killing = setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  const limit = setTimeout(() => end('time limit'), config.refreshTimeLimitSeconds * 1000)
  const onStop = () => end('stopped')
  stop?.addEventListener('abort', onStop)
  // A service that exits before its refresh has ended leaves no process behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    const [complaint, { code, signal }] = await Promise.all([
      text(child.stderr as NodeJS.ReadableStream),
      ended,
    ])
    return { code, signal, ending, answer, complaint }
  } finally {
    clearTimeout(limit)
    clearTimeout(killing)
    stop?.removeEventListener('abort', onStop)
    process.off('exit', kill)
  }
}

function startChild(config: RefreshSettings, source: string, acceptShrink: boolean): ChildProcess {
  const order: RefreshOrder = {
    source,
    mapping: config.mapping,
    dataFolder: config.data,
    maxRejectShare: config.maxRejectShare,
    maxTableShrink: config.maxTableShrink,
    maxClientsEmptied: config.maxClientsEmptied,
    labelsPerClient: config.labelsPerClient,
    offsetTimes: config.offsetTimes,
    retainSnapshots: config.retainSnapshots,
    changesDays: config.changesDays,
    snapshots: config.snapshots,
    engine: config.engine,
    snapshotCacheBytes: config.snapshotCacheBytes,
    acceptShrink,
  }
  const child = fileURLToPath(new URL('refresh-child.ts', import.meta.url))
  const fasterImports = ['--import', new URL('../../kernel/relative-imports.ts', import.meta.url).href]
  const started = fork(child, {
    execArgv: [...process.execArgv, ...fasterImports],
    // Not in the argument, which every user of the machine can read: the URLs have passwords.
    env: {
      ...process.env,
      TRIPFOLIO_STORE: config.store ?? '',
      TRIPFOLIO_ENGINE_URL: config.engineUrl ?? '',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // A process that has ended before it takes its order is reported by its end.
  started.send(order, () => undefined)
  return started
}
