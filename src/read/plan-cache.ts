/**
 * Caches the plan of a query text, so that the same text is not parsed, bound and planned again. One cache per snapshot, with
 * separate entries for each client; queries that are repeated stay longer. Refusals are not cached.
 */

import type { Principal } from '../kernel/principal.ts'
import { TrialCache } from '../kernel/trial-cache.ts'
import type { ListName } from '../schema/datasets.ts'
import type { ServedSnapshot } from '../snapshot/snapshot.ts'
import type { ApiVersion } from './languages.ts'

type Question = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly principal: Principal
  /** Null when the plan is not to be cached. */
  readonly query: string | null
}

export type PlanCache<Prepared> = {
  readonly get: (question: Question) => Prepared | undefined
  /** Caches and returns a prepared query; `size` is the length of the key of its plan. */
  readonly keep: (question: Question, prepared: Prepared, size: number) => Prepared
}

/** Estimated bytes of all cached queries of a snapshot. */
const MOST_BYTES = 8 * 2 ** 20

/** Fixed bytes of a plan, and bytes per character of its key, which contains all parts of the plan. */
const LEAST_BYTES = 1500
const BYTES_PER_CHARACTER = 12

const caches = new WeakMap<ServedSnapshot, TrialCache<unknown>>()

export function planCache<Prepared>(snapshot: ServedSnapshot): PlanCache<Prepared> {
  const cache = (caches.get(snapshot) ?? open(snapshot)) as TrialCache<Prepared>
  return {
    get: (question) => (question.query === null ? undefined : cache.get(keyOf(question))),
    keep: (question, prepared, size) => {
      if (question.query === null) return prepared
      const key = keyOf(question)
      cache.keep(key, prepared, LEAST_BYTES + 2 * key.length + BYTES_PER_CHARACTER * size)
      return prepared
    },
  }
}

function open(snapshot: ServedSnapshot): TrialCache<unknown> {
  const cache = new TrialCache<unknown>(MOST_BYTES)
  caches.set(snapshot, cache)
  return cache
}

/** Unambiguous: the query part of an address has no line feed, and versions and lists have no space. */
const keyOf = ({ version, list, principal, query }: Question): string =>
  `${version} ${list} ${query}\n${principal.clientNumber}`
