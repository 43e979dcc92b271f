/** Checks a script once and caches its problems, because an endpoint is shown far more often than its script changes. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PlacedProblem } from './check-endpoint.ts'

export type Script = Pick<EndpointDefinition, 'script'>

/** Runs in this thread or, because checking a long script takes time, in another. */
export type CheckScript = (script: Script) => readonly PlacedProblem[] | Promise<readonly PlacedProblem[]>

/** The most scripts whose problems are cached. */
const MOST_SCRIPTS = 256

export function cachedCheck(check: CheckScript): (script: Script) => Promise<readonly PlacedProblem[]> {
  const cache = new LRUCache<string, readonly PlacedProblem[]>({ max: MOST_SCRIPTS })
  return async ({ script }) => {
    const key = createHash('sha256').update(script).digest('base64')
    const known = cache.get(key)
    if (known !== undefined) return known
    const problems = await check({ script })
    cache.set(key, problems)
    return problems
  }
}
