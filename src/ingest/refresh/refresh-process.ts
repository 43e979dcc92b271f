/**
 * Runs a refresh in a process of its own, so that reading gigabytes never holds up a request and its memory is given back
 * when it is done. The process runs `refresh-child.ts` and answers with one message. One that takes too long, or that does
 * not end when it is told to, is killed: its lock ends with it, and the next refresh removes what it left.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import type { RefreshRequest, RefreshSummary } from '../cycle.ts'

export type RefreshSettings = Pick<
  Config,
  | 'data'
  | 'maxRejectShare'
  | 'maxTableShrink'
  | 'maxClientsEmptied'
  | 'labelsPerClient'
  | 'retainSnapshots'
  | 'refreshTimeLimitSeconds'
>

export type ProcessOptions = {
  readonly acceptShrink?: boolean
  readonly signal?: AbortSignal | undefined
  /** How long it may take to end in good order once it is told to. */
  readonly graceMs?: number
  /** For tests, which have to know what to stop. */
  readonly onStart?: (pid: number | undefined) => void
}

export type Refreshed = Pick<RefreshSummary, 'snapshot' | 'rejects' | 'warnings'>

/** What the process is told to refresh. Plain data. */
export type RefreshOrder = Omit<RefreshRequest, 'observe' | 'announce' | 'onProgress' | 'signal'>

/** What it answers before it ends. A process that is killed, or has a defect, answers nothing. */
export type RefreshAnswer = { readonly published: Refreshed } | { readonly refused: string }

/** Within the time that a service has to stop. */
const GRACE_MS = 5000

/**
 * @throws Problem SRV301 when the refresh was refused, SRV303 when it took too long, SRV304 when it was stopped or its
 *   process ended otherwise; the current snapshot is unharmed
 */
export async function refreshInProcess(
  config: RefreshSettings,
  source: string,
  observe: Observe,
  options: ProcessOptions = {},
): Promise<Refreshed> {
  observe({ kind: 'refresh-started', source })
  const started = performance.now()
  const { code, signal, ending, answer, complaint } = await runChild(config, source, options)
  // One that was just done when its time was over is done all the same.
  if (answer === null || 'refused' in answer) {
    const seconds = config.refreshTimeLimitSeconds
    const reason = answer?.refused ?? complaint.trim()
    const refused = ending === 'none' && signal === null && reason !== ''
    if (refused) {
      observe({ kind: 'refresh-refused', source, code: 'SRV301', reason })
      throw refreshRefused(source, reason)
    }
    // One that ends in good order when the service stops is no failure; one that has to be killed is.
    if (ending === 'stopped' && signal !== 'SIGKILL') {
      observe({ kind: 'refresh-stopped', source })
      throw refreshEnded(source, 'it was stopped')
    }
    const how =
      ending === 'stopped' ? 'it hung when it was told to stop, and was killed' : endOf(code, signal)
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
    hint: 'The current snapshot keeps serving. Mend the source and run `tripfolio ingest`.',
  })

const refreshTooLong = (source: string, seconds: number): Problem =>
  new Problem('SRV303', `The refresh from '${source}' was ended, because it had taken ${seconds} s`, {
    hint: 'The current snapshot keeps serving. See what held it up, or raise refreshTimeLimitSeconds.',
  })

const refreshEnded = (source: string, how: string): Problem =>
  new Problem('SRV304', `The refresh from '${source}' came to no end of its own: ${how}`, {
    hint: 'The current snapshot keeps serving. A process that was killed may have lacked memory.',
  })

const endOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`

type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it was told to end, if it was. */
  readonly ending: 'none' | 'time limit' | 'stopped'
  /** Null when it ended without one. */
  readonly answer: RefreshAnswer | null
  /** What it wrote to standard error. */
  readonly complaint: string
}

async function runChild(
  config: RefreshSettings,
  source: string,
  { acceptShrink = false, signal: stop, graceMs = GRACE_MS, onStart }: ProcessOptions,
): Promise<Ended> {
  stop?.throwIfAborted()
  const child = startChild(config, source, acceptShrink)
  let answer: RefreshAnswer | null = null
  child.once('message', (message) => {
    answer = message as RefreshAnswer
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
    // A process that hangs does not even take note of it.
    killing = setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  const limit = setTimeout(() => end('time limit'), config.refreshTimeLimitSeconds * 1000)
  const onStop = () => end('stopped')
  stop?.addEventListener('abort', onStop)
  // A service that is cut off in its own stopping leaves nothing behind that hangs.
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
    dataFolder: config.data,
    maxRejectShare: config.maxRejectShare,
    maxTableShrink: config.maxTableShrink,
    maxClientsEmptied: config.maxClientsEmptied,
    labelsPerClient: config.labelsPerClient,
    retainSnapshots: config.retainSnapshots,
    acceptShrink,
  }
  const child = fileURLToPath(new URL('refresh-child.ts', import.meta.url))
  return fork(child, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}
