/**
 * Runs the refreshes of a service, one at a time. The schedule, an operator or the first start requests them. A refresh that
 * fails is reported, and the service keeps its current snapshot.
 */
import type { Config } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { refreshInProcess } from './refresh-process.ts'
import type { Refreshing, RefreshOptions, RefreshState } from './refresh-state.ts'

export type Refreshes = Omit<Refreshing, 'start'> & {
  /** Starts a refresh and does not wait for it, as `Refreshing` says. */
  readonly start: (by: string, options?: RunOptions) => ReturnType<Refreshing['start']>
  /** Resolves when the refresh is over, published or not. Does nothing without a source. */
  readonly run: (by: string, options?: RunOptions) => Promise<void>
  /** Ends a running refresh, by force if it must; it publishes nothing. */
  readonly stop: () => void
}

/** The refresh ends when the signal is aborted, and gives its reason when that is an Error of its own. */
type RunOptions = RefreshOptions & { readonly signal?: AbortSignal }

type Parts = {
  readonly config: Config
  readonly observe: Observe
  /** Announces the new snapshot. */
  readonly published: () => Promise<void>
}

export function createRefreshes({ config, observe, published }: Parts): Refreshes {
  const stopping = new AbortController()
  let state: RefreshState = { state: 'none' }

  async function run(by: string, { signal: given, ...options }: RunOptions = {}): Promise<void> {
    if (config.source === undefined) return
    const signal = given === undefined ? stopping.signal : AbortSignal.any([stopping.signal, given])
    const asked = { requestedBy: by, startedAt: new Date().toISOString() }
    state = { state: 'running', ...asked }
    try {
      const done = await refreshInProcess(config, config.source, observe, { ...options, signal })
      state = { state: 'published', ...asked, endedAt: new Date().toISOString(), ...done }
      await published()
    } catch (cause) {
      const refused = cause instanceof Problem && cause.kind === 'extract-refused'
      const reason = signal.aborted ? whyStopped(signal) : (cause as Error).message
      const endedAt = new Date().toISOString()
      state = { state: refused ? 'refused' : 'failed', ...asked, endedAt, reason }
      if (!(cause instanceof Problem) && !signal.aborted) throw cause
    }
  }

  return {
    run,
    state: async () => state,
    start: async (by, options) => {
      if (config.source === undefined) return 'no-source'
      if (state.state === 'running') return 'busy'
      // The result is in the state and in the log.
      run(by, options).catch((cause: unknown) => observe({ kind: 'refresh-failed', cause }))
      return 'started'
    },
    stop: () => stopping.abort(),
  }
}

const whyStopped = ({ reason }: AbortSignal): string =>
  reason instanceof Problem ? reason.message : 'the service was stopped'
