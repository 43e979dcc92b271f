/**
 * Carries jobs to a thread and their reports back. Everything sent within one turn of the event loop goes in one message:
 * waking a thread costs more than running a short script.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type PlainRunProblem, RunProblem, runLost } from '../automation/problems.ts'
import type { ReadName, RunReads } from '../automation/runs/run-reads.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import { Problem } from '../kernel/problem.ts'
import { arrived, beforeSlices } from '../kernel/turns.ts'
import { serviceLimits } from '../script/problems.ts'
import type { RunPlace } from '../script/script.ts'

/** A job; or null: the run has a place again. */
type SentJob = readonly [number: number, job: RunJob | null]
/** A report, or why there is none; or that the run leaves its place, wants one again, or reads something. */
type SentReply =
  | readonly [number: number, report: RecordedRun | null, problem: PlainRunProblem | null]
  | readonly [number: number, move: 'leaves' | 'returns']
  | readonly [number: number, move: 'reads', read: ReadName]

export type JobChannel = {
  /** @throws RunProblem when the thread could not run the job; the reason of the close when the channel is closed */
  readonly run: (job: RunJob, place?: RunPlace, reads?: RunReads) => Promise<RecordedRun>
  /** Rejects every job that has no report yet. */
  readonly close: (reason: Error) => void
}

type Waiting = {
  readonly job: RunJob
  readonly place: RunPlace | undefined
  readonly reads: RunReads | undefined
  /** When the answer should have come at the latest, as performance.now() counts. */
  readonly dueAt: number
  readonly resolve: (report: RecordedRun) => void
  readonly reject: (reason: Error) => void
}

/** Added to the time limit of a run: a job may wait for others in its thread, and some steps cannot be interrupted. */
const MARGIN_MS = 30_000
const CHECK_EVERY_MS = 1000

/** @param margin milliseconds beyond the time limit of a job after which it is rejected */
export function openJobChannel(port: MessagePort, margin = MARGIN_MS): JobChannel {
  const waiting = new Map<number, Waiting>()
  const send = batches<SentJob>((jobs) => port.postMessage(jobs))
  let number = 0
  let closed: Error | null = null
  const take = (replies: readonly SentReply[]) => {
    for (const reply of replies) {
      const [number, report] = reply
      const asked = waiting.get(number)
      if (isReading(reply)) asked?.reads?.add(...reply[2])
      else if (report === 'leaves') asked?.place?.leave()
      else if (report === 'returns') void goOn(number, asked?.place)
      else {
        const problem = reply[2] as PlainRunProblem | null
        waiting.delete(number)
        if (report !== null) asked?.resolve(report as RecordedRun)
        else if (problem) asked?.reject(new RunProblem(problem))
      }
    }
  }
  port.on('message', take)
  const goOn = async (number: number, place: RunPlace | undefined) => {
    await place?.retake()
    send([number, null])
  }
  // The thread keeps the process alive; its channel need not.
  port.unref()
  const overdue = setInterval(() => {
    const now = performance.now()
    for (const [number, { job, dueAt, reject }] of waiting) {
      if (dueAt > now) continue
      waiting.delete(number)
      reject(runLost(job.executionId, 'there was no answer long after the time limit'))
    }
  }, CHECK_EVERY_MS).unref()
  return {
    run: (job, place, reads) =>
      new Promise((resolve, reject) => {
        if (closed !== null) {
          reject(closed)
          return
        }
        number++
        const { milliseconds = serviceLimits.milliseconds } = job.endpoint.limits
        const dueAt = performance.now() + milliseconds + margin
        waiting.set(number, { job, place, reads, dueAt, resolve, reject })
        send([number, job])
      }),
    close: (reason) => {
      closed = reason
      clearInterval(overdue)
      // What the thread sent before its end may still wait here.
      for (let left = receiveMessageOnPort(port); left !== undefined; left = receiveMessageOnPort(port)) {
        take(left.message)
      }
      port.close()
      for (const { reject } of waiting.values()) reject(reason)
      waiting.clear()
    },
  }
}

const isReading = (reply: SentReply): reply is readonly [number, 'reads', ReadName] => reply[1] === 'reads'

/** The other end, inside the thread. */
export function serveJobChannel(
  port: MessagePort,
  run: (job: RunJob, place: RunPlace, told: (read: ReadName) => void) => Promise<RecordedRun>,
): void {
  const send = batches<SentReply>((reports) => port.postMessage(reports))
  /** Runs that wait for a place, by number. */
  const returning = new Map<number, () => void>()
  const placeOf = (number: number): RunPlace => ({
    leave: () => send([number, 'leaves']),
    retake: () =>
      new Promise((resolve) => {
        returning.set(number, resolve)
        send([number, 'returns'])
      }),
  })
  port.on('message', (jobs: readonly SentJob[]) => {
    arrived()
    for (const [number, job] of jobs) {
      if (job === null) {
        returning.get(number)?.()
        returning.delete(number)
        continue
      }
      const reply = (report: RecordedRun | null, problem: PlainRunProblem | null) => {
        // A run may end while it waits for a place, by its time limit.
        returning.delete(number)
        send([number, report, problem])
      }
      // The thread may end before the event loop turns. Only callers wait for so little that another message counts.
      const told = (read: ReadName) =>
        job.type === 'DynamicEndpoint'
          ? send([number, 'reads', read])
          : port.postMessage([[number, 'reads', read]] satisfies readonly SentReply[])
      run(job, placeOf(number), told).then(
        (report) => reply(report, null),
        (cause: unknown) => reply(null, plain(cause, job)),
      )
    }
  })
}

function plain(cause: unknown, { executionId }: RunJob): PlainRunProblem {
  if (cause instanceof RunProblem) return cause.toPlain()
  if (!(cause instanceof Problem)) {
    return runLost(executionId, cause instanceof Error ? cause.message : String(cause)).toPlain()
  }
  const { code, message, hint, forCallers } = cause
  return { code, message, hint, forCallers, retryAfterSeconds: undefined, executionId, read: undefined }
}

function batches<T>(post: (batch: readonly T[]) => void): (item: T) => void {
  let batch: T[] = []
  const flush = () => {
    const sent = batch
    batch = []
    post(sent)
  }
  return (item) => {
    if (batch.push(item) === 1) beforeSlices(flush)
  }
}
