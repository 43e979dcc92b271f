/**
 * The runs that wait or run in this process: who asked for them, how far they are, and how to cancel them. The supervisor tells of
 * each step; what happens is told to those who watch (`live-feed.ts`).
 */
import type { LiveEvent, LiveRun } from '../../schema/execution-shapes.ts'
import { recordedAddress } from '../history/recorded-address.ts'
import { unfinishedStatus } from '../history/unfinished-run-record.ts'
import { RunProblem } from '../problems.ts'
import type { RedactionOptions } from '../redaction/redaction.ts'
import type { RunCounts } from '../runs/run-endpoint.ts'
import { RunReads } from '../runs/run-reads.ts'
import type { RecordedRun, RunJob } from '../runs/run-states.ts'
import { LiveFeed } from './live-feed.ts'
import type { LoggedLine } from './running-scripts.ts'

export type KnownRun = {
  readonly job: RunJob
  /** Milliseconds since 1970; null while the run waits. */
  startedAt: number | null
  /** Takes the run out of the queue; null while it does not wait there. */
  refuse: ((problem: RunProblem) => void) | null
  /** What it has read so far. */
  readonly reads: RunReads
}

/** What is known of the end of a run: its report, why there is none, or null for a defect of the service. */
type RunEnding = RecordedRun | RunProblem | null

export type CountsOfRuns = Readonly<Record<string, RunCounts>>

type Options = Pick<RedactionOptions, 'cardNumbers'> & { readonly now?: () => number }

export class LiveRuns {
  readonly feed = new LiveFeed()
  readonly #runs = new Map<string, KnownRun>()
  readonly #node: string
  readonly #cardNumbers: RedactionOptions['cardNumbers']
  readonly #now: () => number

  /** @param node the name of this process among those that share the stores */
  constructor(node: string, { cardNumbers, now = Date.now }: Options = {}) {
    this.#node = node
    this.#cardNumbers = cardNumbers
    this.#now = now
  }

  has(id: string): boolean {
    return this.#runs.has(id)
  }

  find(id: string): KnownRun | undefined {
    return this.#runs.get(id)
  }

  all(): readonly KnownRun[] {
    return [...this.#runs.values()]
  }

  queued(job: RunJob): KnownRun {
    const run: KnownRun = { job, startedAt: null, refuse: null, reads: new RunReads() }
    this.#runs.set(job.executionId, run)
    if (this.feed.isWatched) this.feed.add({ event: 'queued', run: this.#shown(run, undefined) })
    return run
  }

  started(run: KnownRun): void {
    run.refuse = null
    run.startedAt = this.#now()
    if (!this.feed.isWatched) return
    const { startedAt } = run
    const queuedMs = Math.max(0, startedAt - run.job.arrivedAt)
    this.feed.add({ event: 'started', ...idsOf(run.job), startedAt: text(startedAt), queuedMs })
  }

  /** Lines of runs that have ended come too late, and are left out. */
  logged(lines: readonly LoggedLine[]): void {
    if (!this.feed.isWatched) return
    for (const { id, ...line } of lines) {
      const run = this.#runs.get(id)
      if (run !== undefined) this.feed.add({ event: 'log', ...idsOf(run.job), ...line })
    }
  }

  ended({ job }: KnownRun, ending: RunEnding): void {
    this.#runs.delete(job.executionId)
    if (!this.feed.isWatched) return
    this.feed.add({ event: 'ended', ...idsOf(job), endedAt: text(this.#now()), ...shownEnding(ending) })
  }

  /** Oldest first. */
  list(counts: CountsOfRuns): LiveRun[] {
    return this.all().map((run) => this.#shown(run, counts[run.job.executionId]))
  }

  #shown({ job, startedAt }: KnownRun, counts: RunCounts | undefined): LiveRun {
    const { endpoint, source, request, rerunOf, arrivedAt } = job
    const { path, principalId, requestId } = recordedAddress(job, this.#cardNumbers)
    const now = this.#now()
    return {
      id: job.executionId,
      type: job.type,
      state: startedAt === null ? 'queued' : 'running',
      endpointId: endpoint.id,
      endpointName: endpoint.name,
      category: endpoint.category,
      version: 'version' in source ? source.version : null,
      method: request.method,
      path,
      principalId,
      requestId,
      rerunOf,
      arrivedAt: text(arrivedAt),
      startedAt: startedAt === null ? null : text(startedAt),
      ageMs: Math.max(0, now - arrivedAt),
      queuedMs: Math.max(0, (startedAt ?? now) - arrivedAt),
      statementCount: counts?.statements ?? null,
      loopCount: counts?.loops ?? null,
      logLineCount: counts?.logLines ?? null,
      hostCallCount: counts?.hostCalls ?? null,
      node: this.#node,
    }
  }
}

type ShownEnding = Pick<Extract<LiveEvent, { event: 'ended' }>, 'status' | 'responseStatus' | 'code'>

function shownEnding(ending: RunEnding): ShownEnding {
  if (ending === null) return { status: 'Failed', responseStatus: null, code: null }
  if (!(ending instanceof RunProblem)) {
    const { status, response, execution, code } = ending
    return { status, responseStatus: response.status, code: code ?? execution?.error?.code ?? null }
  }
  const { executionId, code } = ending
  const status = executionId === undefined ? 'Refused' : unfinishedStatus(ending)
  return { status, responseStatus: null, code }
}

const idsOf = ({ executionId: id, endpoint }: RunJob) => ({ id, endpointId: endpoint.id })

const text = (at: number): string => new Date(at).toISOString()
