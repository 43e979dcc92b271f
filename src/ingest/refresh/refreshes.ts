/**
 * Runs the refreshes of a service, one at a time. The schedule, an operator or the first start requests them. A refresh that
 * fails is reported, and the service keeps its current snapshot.
 */
import type { Config } from '../../config/load-config.ts'
import type { Held } from '../../directory/holds/held.ts'
import type { Holds } from '../../directory/holds/holds.ts'
import { quietNow } from '../../directory/holds/quiet.ts'
import type { RefreshHistory } from '../../directory/refreshes/refreshes.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import type { RefreshReason } from '../../schema/refresh-shapes.ts'
import { recordedRefresh } from './recorded-refresh.ts'
import { nodeOf } from './refresh-recorder.ts'
import type { RefreshEnd } from './refresh-report.ts'
import type { Refreshing, RefreshOptions, RefreshState } from './refresh-state.ts'
import { stateOf } from './state-of-record.ts'

export type Refreshes = Omit<Refreshing, 'start'> & {
  /** Why no refresh begins; null while refreshes are not held. */
  readonly held: () => Promise<Held | null>
  /** Starts a refresh and does not wait for it, as `Refreshing` says. */
  readonly start: (by: string, options?: RunOptions) => ReturnType<Refreshing['start']>
  /** Does nothing while one runs, while refreshes are held, or while the installation is quiet: a copy leaves the source of its original alone. */
  readonly startScheduled: (options: RunOptions) => Promise<void>
  /** Resolves when the refresh is over, published or not. Does nothing without a source, or while refreshes are held. */
  readonly run: (by: string, options?: RunOptions) => Promise<void>
  /** Ends a running refresh, by force if it must; it publishes nothing. Resolves when its end is recorded. */
  readonly stop: () => Promise<void>
}

/** The refresh ends when the signal is aborted, and gives its reason when that is an Error of its own. */
type RunOptions = RefreshOptions & { readonly signal?: AbortSignal }

type Parts = {
  readonly config: Config
  readonly observe: Observe
  /** Undefined where nothing is recorded. */
  readonly history?: RefreshHistory
  readonly holds?: Pick<Holds, 'find'>
  /** Announces the new snapshot. */
  readonly published: () => Promise<void>
}

export function createRefreshes({ config, observe, history, holds, published }: Parts): Refreshes {
  const stopping = new AbortController()
  let state: RefreshState = { state: 'none' }
  let running: Promise<unknown> = Promise.resolve()

  async function refresh(
    by: string,
    { signal: given, acceptShrink = false }: RunOptions = {},
  ): Promise<void> {
    const { source } = config
    if (source === undefined) return
    const signal = given === undefined ? stopping.signal : AbortSignal.any([stopping.signal, given])
    const asked = { requestedBy: by, startedAt: new Date().toISOString() }
    state = { state: 'running', ...asked }
    let reasons: readonly RefreshReason[] = []
    const onEnd = (end: RefreshEnd) => {
      reasons = end.reasons
    }
    try {
      const request = { config, source, observe, history, requestedBy: by, acceptShrink, signal, onEnd }
      const { snapshot, rejects, warnings } = await recordedRefresh(request)
      const endedAt = new Date().toISOString()
      state = { state: 'published', ...asked, endedAt, snapshot, rejects, warnings }
      await published()
    } catch (cause) {
      const refused = cause instanceof Problem && cause.kind === 'extract-refused'
      const reason = signal.aborted ? whyStopped(signal) : (cause as Error).message
      const endedAt = new Date().toISOString()
      state = { state: refused ? 'refused' : 'failed', ...asked, endedAt, reason, reasons }
      if (!(cause instanceof Problem) && !signal.aborted) throw cause
    }
  }

  const heldNow = async () => (await holds?.find('refreshes'))?.held ?? null

  const run: Refreshes['run'] = async (by, options) => {
    if (!options?.despiteHold && (await heldNow()) !== null) return
    const done = refresh(by, options)
    running = done.catch(() => undefined)
    await done
  }

  /** What is not known while the store is away is not worth a failure. */
  const latestRecord = async () => (await history?.last(nodeOf(config.data)).catch(() => null)) ?? null

  const isQuiet = async () =>
    holds !== undefined && (await quietNow({ holds, startedQuiet: config.startedQuiet ?? null })) !== null

  const start: Refreshes['start'] = async (by, options) => {
    if (config.source === undefined) return 'no-source'
    const held = options?.despiteHold ? null : await heldNow()
    if (held !== null) return { held }
    if (state.state === 'running') return 'busy'
    // The result is in the state and in the log.
    run(by, { ...options, despiteHold: true }).catch((cause: unknown) =>
      observe({ kind: 'refresh-failed', cause }),
    )
    return 'started'
  }

  return {
    run,
    start,
    held: heldNow,
    startScheduled: async (options) => {
      if (await isQuiet()) return
      const started = await start('schedule', options)
      if (typeof started === 'object') observe({ kind: 'refresh-held', ...started.held })
    },
    // That of before a restart, while there is no newer one.
    state: async () => (state.state === 'none' ? stateOf(await latestRecord()) : state),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

const whyStopped = ({ reason }: AbortSignal): string =>
  reason instanceof Problem ? reason.message : 'the service was stopped'
