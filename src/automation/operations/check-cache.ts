/** Checks a script once and keeps the problems, because an endpoint is shown far more often than its script changes. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PlacedProblem } from './check-endpoint.ts'

export type Script = Pick<EndpointDefinition, 'script'>

/** In this thread or in another, because a long script takes its time. */
export type CheckScript = (script: Script) => readonly PlacedProblem[] | Promise<readonly PlacedProblem[]>

/** Scripts whose problems are kept. */
const MOST_SCRIPTS = 256

export function cachedCheck(check: CheckScript): (script: Script) => Promise<readonly PlacedProblem[]> {
  const remembered = new LRUCache<string, readonly PlacedProblem[]>({ max: MOST_SCRIPTS })
  return async ({ script }) => {
    const key = createHash('sha256').update(script).digest('base64')
    const known = remembered.get(key)
    if (known !== undefined) return known
    const problems = await check({ script })
    remembered.set(key, problems)
    return problems
  }
}
