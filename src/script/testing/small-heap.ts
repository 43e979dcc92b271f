/** Runs scripts in a thread whose heap is small. */
import { Worker } from 'node:worker_threads'

export type SmallHeapWork = {
  readonly programs: readonly string[]
  readonly atOnce: number
  /** The limit of each run. */
  readonly memoryBytes: number
  /** What all runs together may have. */
  readonly sharedBytes: number
}

/** @returns why the thread ended before all of its work was done, with the scripts that it was running; null when it was done */
export async function lostInSmallHeap(work: SmallHeapWork, heapMegabytes: number): Promise<string | null> {
  const worker = new Worker(new URL('small-heap-worker.ts', import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 4 },
  })
  let running: unknown
  let lost: string | null = null
  worker.on('message', (batch) => {
    running = batch
  })
  worker.on('error', (error) => {
    lost = `${error.message}\n${JSON.stringify(running, null, 2).replaceAll('\\n', '\n')}`
  })
  // `once` from node:events would reject with the error, without the scripts.
  await new Promise((resolve) => worker.on('exit', resolve))
  return lost
}
