/**
 * Which snapshot became current when, and what version of a client's records it had: the moment that a caller names becomes the
 * version that a token of that moment would name.
 *
 * A refresh and a return note a succession just before they make a snapshot current. One that was killed in between leaves a note
 * that is not true. So the past is read backwards from the snapshot that is served: each note names the snapshot that was current
 * before, and a note that no later one leads to is passed over.
 *
 * Which version a snapshot had follows from the steps of its refresh: a step names the versions on both sides, and a collection
 * without a step had the same version on both. Where that cannot be known, nothing is guessed.
 */
import { EMPTY_VERSION, versionName } from './step.ts'

export type Succession = {
  /** When the snapshot became current, in milliseconds since 1970; later than all that were noted before. */
  readonly at: number
  readonly snapshot: string
  /** The snapshot that was current until then; null for the first one of all. */
  readonly before: string | null
  /** The snapshot that the steps of the refresh begin with; null when nothing was compared, and after a return. */
  readonly compared: string | null
  /** Client numbers without steps although they may have changed: their old records could not be read. */
  readonly unknown: readonly string[]
}

export type NewSuccession = Omit<Succession, 'at'> & {
  /** How many steps the refresh has stored: steps that get lost later are noticed by their number. */
  readonly steps: number
}

/** A clock that was set back does not change the order. @param newest of the successions that are noted */
export const nextMoment = (now: number, newest: number | undefined): number =>
  newest === undefined ? now : Math.max(now, newest + 1)

/**
 * What was current before, as it is noted: null only for the first snapshot of all, before which there were no records. Where
 * others were noted, somebody has removed the snapshots.
 */
export const beforeOf = (before: string | null, newest: number | undefined): string | null =>
  before === null && newest !== undefined ? LOST : before

/** In place of a snapshot that is not known. */
export const LOST = 'lost'

/** What is served, and what is known of its past. */
export type Served = {
  readonly clientNumber: string
  readonly snapshotId: string
  /** The version of the client's collection, and the snapshot that has it: an older one when a file is damaged. */
  readonly version: string
  readonly versionOf: string
  /** In the order of their moments. */
  readonly successions: readonly Succession[]
  /** All steps of the client's collection, each with the snapshot whose refresh wrote it. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly snapshot: string }[]
}

/** The oldest moment that can be answered, in milliseconds since 1970; null when no past is known. */
export type TooOld = { readonly oldest: number | null }

/**
 * The name of the version that was current at a moment. Before the first snapshot of all there were no records.
 *
 * @param moment in milliseconds since 1970; one after the served snapshot became current is that snapshot
 * @param latest what is noted of a later moment was noted by a wrong clock: when it happened is not known
 */
export function versionAt(
  served: Served,
  moment: number,
  latest = Number.POSITIVE_INFINITY,
): { readonly version: string } | TooOld {
  const { periods, isWhole } = periodsOf(served)
  const found = periods.findLastIndex(({ at }) => at <= moment)
  const next = periods[found + 1]
  if (next !== undefined && next.at > latest) return { oldest: null }
  if (found === -1 && isWhole) return { version: EMPTY_VERSION }
  const versionIn = versionsOf(served)
  const reachable = reachableVersions(served)
  const known = (period: Succession | undefined) => {
    const version = period && versionIn(period.snapshot)
    return version !== undefined && reachable.has(version) ? version : undefined
  }
  const version = known(periods[found])
  if (version !== undefined) return { version }
  return { oldest: periods.slice(found + 1).find((period) => known(period) !== undefined)?.at ?? null }
}

/** The periods that led to the served snapshot, the oldest first; whole when they begin with the first snapshot of all. */
function periodsOf({ successions, snapshotId }: Served) {
  const periods: Succession[] = []
  let wanted: string | null = snapshotId
  for (let i = successions.length - 1; i >= 0 && wanted !== null; i--) {
    const succession = successions[i] as Succession
    if (succession.snapshot !== wanted) continue
    periods.push(succession)
    wanted = succession.before
  }
  return { periods: periods.reverse(), isWhole: wanted === null }
}

/** Snapshots between which the client did not change are one group, and have what a step says of any of them. */
function versionsOf({ clientNumber, successions, edges, version, versionOf }: Served) {
  const groups = new Map<string, Set<string>>()
  const versions = new Map<Set<string>, Set<string>>()
  const groupOf = (snapshot: string): Set<string> => {
    const group = groups.get(snapshot) ?? new Set([snapshot])
    groups.set(snapshot, group)
    return group
  }
  const stepOf = new Map(edges.map((edge) => [edge.snapshot, edge]))
  const told: (readonly [snapshot: string, version: string])[] = [[versionOf, versionName(version)]]
  for (const { snapshot, compared, unknown } of successions) {
    if (compared === null) continue
    const step = stepOf.get(snapshot)
    if (step !== undefined) told.push([compared, step.from], [snapshot, step.to])
    else if (!unknown.includes(clientNumber)) {
      const [group, other] = [groupOf(compared), groupOf(snapshot)]
      for (const member of other) groups.set(member, group.add(member))
    }
  }
  for (const [snapshot, name] of told) {
    const group = groupOf(snapshot)
    versions.set(group, (versions.get(group) ?? new Set()).add(name))
  }
  return (snapshot: string): string | undefined => {
    const [name, other] = versions.get(groupOf(snapshot)) ?? []
    // Two versions of one group: a step is missing.
    return other === undefined ? name : undefined
  }
}

/** The versions from which steps lead to the served one. Everything was added since there were no records. */
function reachableVersions({ edges, version }: Served): ReadonlySet<string> {
  const reached = new Set([versionName(version)])
  const neighbours = Map.groupBy(
    edges.flatMap(({ from, to }) => [
      [from, to],
      [to, from],
    ]),
    ([from]) => from,
  )
  for (const name of reached) for (const [, next] of neighbours.get(name) ?? []) reached.add(next as string)
  return reached.add(EMPTY_VERSION)
}
