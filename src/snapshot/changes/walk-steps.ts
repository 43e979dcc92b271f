/**
 * What changed between two versions of a collection: a walk over steps from one to the other, each in either direction, because a
 * return to an older snapshot makes an older version current without a new step. For each record that the walk touches, the
 * state before the first step is compared with the one after the last: a record that changed and changed back is not told.
 */
import type { Version2Stored } from '../../schema/datasets.ts'
import { isUnavailable } from '../problems.ts'
import { keyText } from './compare-collections.ts'
import { type RecordChange, type RecordKey, type RecordState, type Step, versionName } from './step.ts'
import type { StepEdge, StepSource } from './step-store.ts'

/** A record that differs between two versions. */
export type NetChange = {
  readonly key: RecordKey
  /** Null when the first version does not have the record. */
  readonly before: RecordState | null
  /** Null when the second version does not have it. */
  readonly after: RecordState | null
  /** Whether the row of `after` is its row in the second version; the record is there in any case. */
  readonly isRowKnown: boolean
}

export type Walk = {
  readonly source: StepSource
  readonly clientNumber: string
  readonly stored: Version2Stored
  /** Versions, or their names. */
  readonly from: string
  readonly to: string
  /** Called for a step that is there, but cannot be used. */
  readonly onDamage?: (reason: string) => void
}

/**
 * @returns null when no walk leads from one version to the other
 * @throws Problem of the kind `unavailable` when that cannot be known at the moment
 */
export async function walkSteps(walk: Walk): Promise<readonly NetChange[] | null> {
  const { source, clientNumber, stored, onDamage } = walk
  const [from, to] = [versionName(walk.from), versionName(walk.to)]
  if (from === to) return []
  let edges = await source.edges(clientNumber, stored)
  while (true) {
    const path = shortestPath(edges, from, to)
    if (path === null) return null
    const read: (Step | Error)[] = []
    for (let from = 0; from < path.length; from += PARALLEL_READS) {
      const some = path.slice(from, from + PARALLEL_READS)
      read.push(...(await Promise.all(some.map(({ edge }) => edge.read().catch(asError)))))
    }
    const damaged = path.flatMap(({ edge }, i) => (read[i] instanceof Error ? [edge] : []))
    if (damaged.length === 0) return composed(path.map((part, i) => ({ ...part, step: read[i] as Step })))
    for (const error of read) if (error instanceof Error) onDamage?.(error.message)
    // Another walk may get around them.
    edges = edges.filter((edge) => !damaged.includes(edge))
  }
}

const PARALLEL_READS = 16

function asError(error: unknown): Error {
  if (isUnavailable(error) || !(error instanceof Error)) throw error
  return error
}

type Part = { readonly edge: StepEdge; readonly isForward: boolean }

/** The fewest steps, by search in breadth. */
function shortestPath(edges: readonly StepEdge[], from: string, to: string): readonly Part[] | null {
  const parts = edges.flatMap((edge) => [
    { begin: edge.from, end: edge.to, edge, isForward: true },
    { begin: edge.to, end: edge.from, edge, isForward: false },
  ])
  const byBegin = Map.groupBy(parts, ({ begin }) => begin)
  const pathTo = new Map<string, readonly Part[]>([[from, []]])
  for (const [version, path] of pathTo) {
    if (version === to) return path
    for (const { end, edge, isForward } of byBegin.get(version) ?? []) {
      if (!pathTo.has(end)) pathTo.set(end, [...path, { edge, isForward }])
    }
  }
  return null
}

/** Exported for its property test. */
export function composed(path: readonly { readonly step: Step; readonly isForward: boolean }[]): NetChange[] {
  const [only, ...others] = path
  if (only !== undefined && others.length === 0) {
    // All that a step has differs.
    return only.step.changes.map((change) => {
      const [key, before, after] = only.isForward ? change : turned(change)
      return { key, before, after, isRowKnown: true }
    })
  }
  const touched = new Map<string, { -readonly [Member in keyof NetChange]: NetChange[Member] }>()
  for (const [i, { step, isForward }] of path.entries()) {
    const isRowKnown = i === path.length - 1
    for (const change of step.changes) {
      const [key, before, after] = isForward ? change : turned(change)
      const text = keyText(key)
      const known = touched.get(text)
      if (known === undefined) touched.set(text, { key, before, after, isRowKnown })
      else Object.assign(known, { after, isRowKnown })
    }
  }
  return [...touched.values()].filter(({ before, after }) => !isSameState(before, after))
}

const turned = ([key, before, after]: RecordChange): RecordChange => [key, after, before]

/** Rows may differ. */
function isSameState(one: RecordState | null, other: RecordState | null): boolean {
  if (one === null || other === null) return one === other
  return one.every((part, i) => i === 0 || part === other[i])
}

/** A booking is unchanged when only its segments have changed. */
export const isBookingChanged = ({ before, after }: Pick<NetChange, 'before' | 'after'>): boolean =>
  before === null || after === null || before[1] !== after[1]
