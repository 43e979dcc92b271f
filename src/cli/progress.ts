/**
 * Shows the progress of long work on standard error: as a bar on a terminal; elsewhere, such as in the log of a scheduler, as
 * a line every 10 s, so that work of a few seconds prints nothing.
 */
import { SingleBar } from 'cli-progress'
import type { CliIo, ProgressClock } from './cli-io.ts'

/** How many steps of a stage of the work are done, of how many. */
type Step = {
  readonly stage: string
  readonly done: number
  readonly total: number
  /** The table at work, where the steps are tables. */
  readonly table?: string | undefined
}

export type Progress = {
  readonly show: (step: Step) => void
  /** Removes the bar, or ends the lines; may be called twice. */
  readonly close: () => void
}

const processClock: ProgressClock = {
  now: () => performance.now(),
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref()
    return () => clearInterval(timer)
  },
}

export const openProgress = ({ stderr, clock = processClock }: Pick<CliIo, 'stderr' | 'clock'>): Progress =>
  stderr.isTTY ? openBar(stderr) : openLines(stderr, clock)

const BETWEEN_LINES_MS = 10_000

function openLines(stream: CliIo['stderr'], clock: ProgressClock): Progress {
  const started = clock.now()
  let latest: Step | undefined
  const stop = clock.every(BETWEEN_LINES_MS, () => {
    if (latest === undefined) return
    stream.write(`tripfolio: ${latest.stage}: ${placeOf(latest)}, ${seconds(clock.now() - started)} so far\n`)
  })
  return {
    show(step) {
      latest = step
    },
    close: stop,
  }
}

function placeOf({ done, total, table }: Step): string {
  if (table !== undefined) return `${table}, table ${done + 1} of ${total}`
  return `${done} of ${total} (${total === 0 ? 100 : Math.floor((100 * done) / total)} %)`
}

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`

function openBar(stream: CliIo['stderr']): Progress {
  const bar = new SingleBar({
    format: '{stage} {bar} {value} of {total} ({percentage} %)',
    stream,
    clearOnComplete: true,
    hideCursor: true,
  })
  let started = false
  return {
    show({ stage, done, total }) {
      const label = { stage: stage.padEnd(LABEL_WIDTH) }
      if (!started) bar.start(total, done, label)
      started = true
      bar.setTotal(total)
      bar.update(done, label)
    },
    close() {
      if (started) bar.stop()
      started = false
    },
  }
}

/** Makes the bars of successive stages begin in the same column. */
const LABEL_WIDTH = 9
