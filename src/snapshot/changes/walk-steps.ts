/**
 * What changed between two versions of a collection: a walk over steps from one to the other, each in either direction, because a
 * return to an older snapshot makes an older version current without a new step. For each record that the walk touches, the
 * state before the first step is compared with the one after the last: a record that changed and changed back is not told.
 */
import type { Version2Stored } from '../../schema/datasets.ts'
import { isUnavailable } from '../problems.ts'
import { byKey, keyText } from './compare-collections.ts'
import { FRONT_BYTES, NO_ROW, type RecordKey, type StepRecords, versionName } from './step.ts'
import type { StepEdge, StepSource } from './step-store.ts'

/** A step in the direction of the walk. */
type WalkedStep = { readonly records: StepRecords; readonly isForward: boolean }

/** A record that differs between two versions: its places in the first and in the last step that have it. */
export type NetChange = {
  readonly first: WalkedStep
  readonly firstAt: number
  readonly last: WalkedStep
  readonly lastAt: number
  /** Whether the last step is the last one of the walk, so that its rows are those of the second version. */
  readonly isRowKnown: boolean
}

export const keyOf = ({ last, lastAt }: NetChange): RecordKey => last.records.key(lastAt)

/** The row when it is known, and {@link NO_ROW} when the second version does not have the record. */
export const rowOf = ({ last, lastAt }: NetChange): number => afterOf(last)[lastAt]!

export const isAdded = ({ first, firstAt }: NetChange): boolean => beforeOf(first)[firstAt] === NO_ROW
export const isRemoved = (change: NetChange): boolean => rowOf(change) === NO_ROW

/** A booking is unchanged when only its segments have changed. */
export const isBookingChanged = (change: NetChange): boolean => !isSameState(change, FRONT_BYTES)

const beforeOf = ({ records, isForward }: WalkedStep): Int32Array =>
  isForward ? records.before : records.after
const afterOf = ({ records, isForward }: WalkedStep): Int32Array =>
  isForward ? records.after : records.before

/** Rows may differ. @param bytes how many of the hashes are compared */
function isSameState(change: NetChange, bytes: number): boolean {
  const { first, firstAt, last, lastAt } = change
  if (isAdded(change) || isRemoved(change)) return isAdded(change) === isRemoved(change)
  const begin = hashesAt(first, firstAt, 'before')
  const end = hashesAt(last, lastAt, 'after')
  for (let i = 0; i < bytes; i++) {
    if (first.records.hashes[begin + i] !== last.records.hashes[end + i]) return false
  }
  return true
}

function hashesAt({ records, isForward }: WalkedStep, at: number, side: 'before' | 'after'): number {
  const isSecond = (side === 'after') === isForward
  return (2 * at + (isSecond ? 1 : 0)) * records.stateBytes
}

export type Walk = {
  readonly source: Pick<StepSource, 'edges'>
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
    const read: (StepRecords | Error)[] = []
    for (let from = 0; from < path.length; from += PARALLEL_READS) {
      const some = path.slice(from, from + PARALLEL_READS)
      read.push(...(await Promise.all(some.map(({ edge }) => edge.read().catch(asError)))))
    }
    const damaged = path.flatMap(({ edge }, i) => (read[i] instanceof Error ? [edge] : []))
    if (damaged.length === 0)
      return composed(path.map(({ isForward }, i) => ({ isForward, records: read[i] as StepRecords })))
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

/** In the order of keys. Exported for its test. */
export function composed(path: readonly WalkedStep[]): readonly NetChange[] {
  const [only, ...others] = path
  if (only !== undefined && others.length === 0) return changesOf(only, true)
  const touched = new Map<string, NetChange>()
  for (const [i, step] of path.entries()) {
    for (const change of changesOf(step, i === path.length - 1)) {
      const text = keyText(keyOf(change))
      const { first, firstAt } = touched.get(text) ?? change
      touched.set(text, { ...change, first, firstAt })
    }
  }
  const stateBytes = only?.records.stateBytes ?? 0
  return [...touched.values()]
    .filter((change) => !isSameState(change, stateBytes))
    .map((change) => [keyOf(change), change] as const)
    .sort(byKey)
    .map(([, change]) => change)
}

/** All that a step has differs, and is in the order of keys. */
function changesOf(step: WalkedStep, isRowKnown: boolean): readonly NetChange[] {
  const changes: NetChange[] = []
  for (let at = 0; at < step.records.count; at++)
    changes.push({ first: step, firstAt: at, last: step, lastAt: at, isRowKnown })
  return changes
}
