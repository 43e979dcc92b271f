/**
 * Shows the progress of long work as a bar on standard error, but only on a terminal: in a log file or a pipe a bar is noise.
 */
import { SingleBar } from 'cli-progress'
import type { CliIo } from './cli-io.ts'

/** How many steps of a stage of the work are done, of how many. */
type Progress = { readonly stage: string; readonly done: number; readonly total: number }

export type ProgressBar = {
  readonly show: (progress: Progress) => void
  /** Removes the bar; may be called twice. */
  readonly close: () => void
}

export function openProgressBar(stream: CliIo['stderr']): ProgressBar {
  if (!stream.isTTY) return { show: () => undefined, close: () => undefined }
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
