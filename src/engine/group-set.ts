/**
 * What an aggregation gives: groups in columns, one per member. There are few groups compared with the records, so that columns
 * hold plain values.
 */
import type { GroupType } from '../query/aggregation.ts'
import type { DatasetName } from '../schema/datasets.ts'

/** Texts as they are; days, minutes, and amounts scaled by 10^5 are integers. A sum beyond 2^53 is a bigint. */
export type GroupValue = string | number | bigint | boolean | null

export type GroupColumn = {
  readonly name: string
  readonly type: GroupType
  readonly values: readonly GroupValue[]
}

export type GroupSet = {
  readonly dataset: DatasetName
  readonly clientNumber: string
  /** Groups in all. */
  readonly total: number
  /** Groups of the page, the length of every column. */
  readonly count: number
  /** The dimensions, then the aggregates. */
  readonly columns: readonly GroupColumn[]
}

/** How much one aggregation may hold, on all its pages together. */
export type GroupLimits = {
  readonly groups: number
  /** See {@link groupBytes}. */
  readonly bytes: number
}

export const defaultGroupLimits: GroupLimits = { groups: 100_000, bytes: 64 * 2 ** 20 }

/**
 * The memory of groups as it is counted: the same for every engine, so that all of them refuse the same requests.
 *
 * @param distinct values that `countdistinct` counts, of all groups together
 */
export const groupBytes = (groups: number, members: number, distinct: number): number =>
  8 * groups * members + 16 * distinct

/** Thrown by an engine when an aggregation exceeds one of {@link GroupLimits}. */
export class OverGroupLimit extends Error {
  override readonly name = 'OverGroupLimit'
  readonly limit: keyof GroupLimits
  readonly most: number

  constructor(limit: keyof GroupLimits, limits: GroupLimits) {
    super(`The groups exceed a limit (${limit}, at most ${limits[limit]})`)
    this.limit = limit
    this.most = limits[limit]
  }
}

/** @throws OverGroupLimit */
export function checkGroups(
  { groups, members, distinct }: { groups: number; members: number; distinct: number },
  limits: GroupLimits,
): void {
  if (groups > limits.groups) throw new OverGroupLimit('groups', limits)
  if (groupBytes(groups, members, distinct) > limits.bytes) throw new OverGroupLimit('bytes', limits)
}
