/** Checks a script once and caches its problems, because an endpoint is shown far more often than its script changes. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PlacedProblem } from './check-endpoint.ts'
import type { Script } from './script-to-check.ts'

/** Runs in this thread or, because checking a long script takes time, in another. */
export type CheckScript = (script: Script) => readonly PlacedProblem[] | Promise<readonly PlacedProblem[]>

/** The most scripts whose problems are cached. */
const MOST_SCRIPTS = 256

export function cachedCheck(check: CheckScript): (script: Script) => Promise<readonly PlacedProblem[]> {
  const cache = new LRUCache<string, readonly PlacedProblem[]>({ max: MOST_SCRIPTS })
  return async ({ script, modules = [], moduleName }) => {
    const key = createHash('sha256')
      .update(JSON.stringify([script, modules, moduleName]))
      .digest('base64')
    const known = cache.get(key)
    if (known !== undefined) return known
    const problems = await check({ script, modules, moduleName })
    cache.set(key, problems)
    return problems
  }
}
