/**
 * What was worked out for a query text, so that the same text need not be parsed, bound and planned again. Kept per
 * snapshot, for each client apart, for long if it is asked again. Refusals are not kept.
 */

import type { Principal } from '../kernel/principal.ts'
import { TrialCache } from '../kernel/trial-cache.ts'
import type { ListName } from '../schema/datasets.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { ApiVersion } from './languages.ts'

type Question = {
  readonly version: ApiVersion
  readonly list: ListName
  readonly principal: Principal
  /** Null: not to be kept. */
  readonly query: string | null
}

export type PlanCache<Prepared> = {
  readonly get: (question: Question) => Prepared | undefined
  /** Keeps what was prepared, and hands it back; `size` is the length of its plan's key. */
  readonly keep: (question: Question, prepared: Prepared, size: number) => Prepared
}

/** Bytes of all queries of a snapshot together, as estimated. */
const MOST_BYTES = 8 * 2 ** 20

/** What a plan takes besides what grows with it, and the bytes per character of its key, which names all it is made of. */
const LEAST_BYTES = 1500
const BYTES_PER_CHARACTER = 12

const caches = new WeakMap<Snapshot, TrialCache<unknown>>()

export function planCache<Prepared>(snapshot: Snapshot): PlanCache<Prepared> {
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

function open(snapshot: Snapshot): TrialCache<unknown> {
  const cache = new TrialCache<unknown>(MOST_BYTES)
  caches.set(snapshot, cache)
  return cache
}

/** No query part holds a line feed, and the numbers of lists and versions hold no space. */
const keyOf = ({ version, list, principal, query }: Question): string =>
  `${version} ${list} ${query}\n${principal.clientNumber}`
