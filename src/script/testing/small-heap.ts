/** Runs scripts in a thread whose heap is small. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

export type SmallHeapWork = {
  readonly programs: readonly string[]
  readonly atOnce: number
  /** The limit of each run. */
  readonly memoryBytes: number
  /** What all runs together may have. */
  readonly sharedBytes: number
}

/**
 * What a heap holds must not depend on how busy the machine is. A collection that goes on beside the script keeps what was
 * allocated meanwhile, also what is garbage: the slower the machine, the more. And V8 gives up early when collections take most
 * of the time. Without both, a thread runs out of memory only when what its scripts reach does not fit.
 */
const COLLECTED_AT_ONCE = ['--no-incremental-marking', '--no-detect-ineffective-gcs-near-heap-limit']
const AS_USUAL = ['--incremental-marking', '--detect-ineffective-gcs-near-heap-limit']

/** @returns why the thread ended before all of its work was done, with the scripts that it was running; null when it was done */
export async function lostInSmallHeap(work: SmallHeapWork, heapMegabytes: number): Promise<string | null> {
  for (const flag of COLLECTED_AT_ONCE) setFlagsFromString(flag)
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
  for (const flag of AS_USUAL) setFlagsFromString(flag)
  return lost
}
