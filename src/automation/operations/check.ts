/** Looks for the problems of a script once: an endpoint is looked at far more often than its script changes. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PlacedProblem } from './check-endpoint.ts'

export type Script = Pick<EndpointDefinition, 'script'>

/** Wherever that happens: a long script takes its time. */
export type CheckScript = (script: Script) => readonly PlacedProblem[] | Promise<readonly PlacedProblem[]>

/** Scripts whose problems are kept. */
const MOST_REMEMBERED = 256

export function rememberingProblems(
  check: CheckScript,
): (script: Script) => Promise<readonly PlacedProblem[]> {
  const remembered = new LRUCache<string, readonly PlacedProblem[]>({ max: MOST_REMEMBERED })
  return async ({ script }) => {
    const key = createHash('sha256').update(script).digest('base64')
    const known = remembered.get(key)
    if (known !== undefined) return known
    const problems = await check({ script })
    remembered.set(key, problems)
    return problems
  }
}
