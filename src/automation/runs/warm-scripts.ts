/**
 * Makes the first call of an endpoint as fast as later ones: compiles the published scripts, and runs a small script through the
 * same steps as any other, so that their code is loaded and compiled. Nothing is written, recorded or logged.
 */
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Soon } from '../../kernel/soon.ts'
import type { Programs } from './programs.ts'
import { rehearsal } from './rehearsal.ts'
import type { AnsweredRun, RunJob } from './run-states.ts'

type WarmParts = {
  readonly endpoints: () => Soon<readonly PublishedEndpoint[]>
  readonly programs: Programs
  readonly answer: (job: RunJob) => Promise<AnsweredRun>
}

/** A script of average length compiles within a millisecond. Scripts that are not compiled in time are compiled by their first call. */
const COMPILE_FOR_MS = 1000

/** After as many runs, most of the code is compiled for the second time, with what the runs have shown about it. */
const RUNS = 40

/** Failures are for the first caller to see: he gets the same. */
export async function warmScripts({ endpoints, programs, answer }: WarmParts): Promise<void> {
  const until = performance.now() + COMPILE_FOR_MS
  const published = await endpoints()
  // Whoever waits for the threads then waits for a trial, which need not be fast.
  if (published.length === 0) return
  for (const endpoint of published) {
    if (performance.now() > until) break
    await programs({ endpoint, source: { version: endpoint.version } }).catch(() => undefined)
  }
  for (let run = 0; run < RUNS; run++) {
    const answered = await answer(rehearsal())
    await answered.record()
  }
}
