/**
 * Makes the first call of an endpoint in this thread as fast as later ones: reads the endpoints and runs a rehearsal in the
 * threads for scripts, without a record. Does nothing without a published endpoint.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { RunScript } from '../../automation/runs/run-states.ts'
import { rehearsal } from '../../automation/runs/warm-scripts.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Soon } from '../../kernel/soon.ts'
import { TRIAL } from '../../schema/execution-shapes.ts'

type WarmCallDeps = {
  readonly endpoints: () => Soon<readonly PublishedEndpoint[]>
  readonly run: RunScript
}

const RUNS = 5

/** Threads that do not start must not keep the service from being ready for everything else. */
const MOST_MS = 10_000

/** Resolves when calls are fast, or cannot be made faster. Whatever keeps the rehearsal from running is for callers to see. */
export async function warmCalls({ endpoints, run }: WarmCallDeps): Promise<void> {
  const rehearse = async () => {
    if ((await endpoints()).length === 0) return
    for (let i = 0; i < RUNS; i++) await run({ ...rehearsal(), type: TRIAL })
  }
  const stopWaiting = new AbortController()
  const timeUp = delay(MOST_MS, undefined, { ref: false, signal: stopWaiting.signal })
  await Promise.race([rehearse(), timeUp]).catch(() => undefined)
  stopWaiting.abort()
  await timeUp.catch(() => undefined)
}
