/**
 * What requests need of the store, remembered until any thread or process commits a change to it: so a disabled key fails in
 * the very next look-up, and nothing is read while nothing changes.
 */
import type { Kysely } from 'kysely'
import { type Soon, whenThere } from '../../kernel/soon.ts'
import {
  type FindHolder,
  type HashColumn,
  HOLDER_COLUMNS,
  type KeyHolder,
  type ReadHolder,
} from '../accounts/key-holder.ts'
import type { ControlTables } from '../control-tables.ts'
import type { LatestState, Prepare } from '../database.ts'

export type LatestReads = {
  /**
   * Another value as soon as any thread or process has committed a change. Called in every request, hence synchronous: it
   * takes a few microseconds at most and reads no row.
   */
  readonly version: () => unknown
  /** Reads here see everything that was committed when `version` was last called. */
  readonly queries: Kysely<ControlTables>
  readonly prepare: Prepare
}

export const rememberState = (reads: LatestReads): LatestState => ({
  holderBy: (column, readHolder) => rememberBy(column, readHolder, reads),
  endpointRevision: rememberRevision(reads),
  queries: reads.queries,
  prepare: reads.prepare,
})

function rememberBy(
  column: HashColumn,
  readHolder: ReadHolder,
  { version: versionNow, queries, prepare }: LatestReads,
): FindHolder {
  const byHash = prepare(queries.selectFrom('accounts').select(HOLDER_COLUMNS).where(column, '=', ''))
  /** Accounts that are known or being read: many requests that wait for one account cause one read. */
  const holders = new Map<string, Soon<KeyHolder | undefined>>()
  let knownVersion: unknown

  const read = (hash: string): Soon<KeyHolder | undefined> => {
    const reading = whenThere(byHash([hash]), ([row]) =>
      row === undefined ? undefined : readHolder(row, column, hash),
    )
    if (reading !== undefined) holders.set(hash, reading)
    if (reading instanceof Promise) rememberOnce(hash, reading)
    return reading
  }

  /** An unknown hash is not remembered. If a later read has replaced this one, the store was changed meanwhile. */
  const rememberOnce = (hash: string, reading: Promise<KeyHolder | undefined>) => {
    const settle = (holder: KeyHolder | undefined) => {
      if (holders.get(hash) !== reading) return
      if (holder === undefined) holders.delete(hash)
      else holders.set(hash, holder)
    }
    reading.then(settle, () => settle(undefined))
  }

  return (hash) => {
    const version = versionNow()
    if (version !== knownVersion) {
      holders.clear()
      knownVersion = version
    }
    return holders.get(hash) ?? read(hash)
  }
}

/** Commits that do not concern endpoints, such as account uses, leave the revision as it is. */
function rememberRevision({ version: versionNow, queries, prepare }: LatestReads): () => Soon<number> {
  const ofSubject = prepare(
    queries.selectFrom('revisions').select('revision').where('subject', '=', 'endpoints'),
  )
  let revision: Soon<number> | undefined
  let knownVersion: unknown

  const read = (): Soon<number> => {
    const reading = whenThere(ofSubject(['endpoints']), ([row]) => row?.revision ?? 0)
    if (reading instanceof Promise) {
      const settle = (read: number | undefined) => {
        if (revision === reading) revision = read
      }
      reading.then(settle, () => settle(undefined))
    }
    return reading
  }

  return () => {
    const version = versionNow()
    if (revision !== undefined && version === knownVersion) return revision
    knownVersion = version
    revision = undefined
    revision = read()
    return revision
  }
}
