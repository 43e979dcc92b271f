/**
 * What the stores need of a database. `sqlite/` and `postgres/` provide it; `open-stores.ts` chooses. Every fault of the
 * database itself is thrown as a Problem (DIR1xx, PGS1xx).
 */
import type { Compilable, CompiledQuery, Kysely, RawBuilder, Transaction } from 'kysely'
import type { UpgradedStore } from '../kernel/files/upgraded-store.ts'
import type { Soon } from '../kernel/soon.ts'
import type { FindHolder, HashColumn, ReadHolder } from './accounts/key-holder.ts'
import type { ControlTables } from './control-tables.ts'
import type { HistoryTables } from './history/history-tables.ts'

export type Database<Tables> = Queries<Tables> & {
  readonly expressions: Expressions
  readonly close: () => Promise<void>
}

export type Queries<Tables> = {
  /** A transaction shuts out every other writer until it ends, so what it has read stays as it is. */
  readonly queries: Kysely<Tables>
  /**
   * Runs one statement with each of these values, within a transaction of `queries`: for many rows, because building a query
   * for each row costs more than writing it.
   *
   * @returns how many rows each of them changed
   */
  readonly runEach: (
    transaction: Transaction<Tables>,
    query: CompiledQuery<unknown>,
    values: readonly (readonly unknown[])[],
  ) => Promise<readonly number[]>
}

/** The SQL expressions that differ from database to database. */
export type Expressions = {
  /** Grows with every row that is added to the trail of changes, also within one millisecond. */
  readonly orderOfWriting: RawBuilder<number>
  /** A text member of a column that holds a JSON object. */
  readonly textMember: (column: string, member: string) => RawBuilder<string>
  /** Compares letters and their case exactly; no character is a wildcard. */
  readonly contains: (column: string, text: string) => RawBuilder<boolean>
  /** The value of a column, in a form for which the planner cannot choose an index. */
  readonly withoutIndex: (column: string) => RawBuilder<string>
}

export type ControlDatabase = Database<ControlTables> & {
  readonly latest: LatestState
  /** Commits here do not wait for the disk: for facts that a power cut may lose. */
  readonly relaxed: Queries<ControlTables>
  /** A separate database with these rows only; closing it removes it. */
  readonly scratch: (content: TableContent<ControlTables>) => Promise<Database<ControlTables>>
}

/**
 * What requests need of the store, as it is now: everything that any thread, process or node has committed before the call.
 * Each database keeps this promise in its own way: SQLite remembers until its version changes, PostgreSQL until a revision
 * changes, which it asks the server for once for all calls of a turn of the event loop.
 */
export type LatestState = {
  /** Finds accounts by the hashes in this column, and by nothing else. Only what `read` returns is remembered. */
  readonly holderBy: (column: HashColumn, read: ReadHolder) => FindHolder
  /** Grows with every change of the endpoints that callers reach; 0 until the first. */
  readonly endpointRevision: () => Soon<number>
  /** Reads here see at least what the calls above have seen. */
  readonly queries: Kysely<ControlTables>
  readonly prepare: Prepare
}

/**
 * Builds once a query that many requests run, each with its own values in place of those in the query. A database in this
 * process answers at once.
 */
export type Prepare = <Row>(query: Compilable<Row>) => (values: readonly unknown[]) => Soon<readonly Row[]>

export type TableContent<Tables> = {
  readonly [Table in keyof Tables]?: readonly Tables[Table][]
}

export type HistoryDatabase = Database<HistoryTables> & {
  /** Returns a part of the space of removed rows to the disk. @returns how many units; call again until 0 */
  readonly reclaimSpace: () => Promise<number>
}

/**
 * How often a cache over a file checks whether the store has changed: in every call, or once in a turn of the event loop. All requests
 * of a turn were under way when it began, so none of them was sent after a change that the check misses. A check costs more
 * than the rest of authentication.
 */
export type Freshness = 'call' | 'turn'

/**
 * Called once with the reason when a database cannot be written, and once with null when it can be written again.
 *
 * @param isAway true when it cannot be read either
 */
export type OnWriting = (reason: string | null, isAway?: boolean) => void

/** Whoever gives it may bring an older store up to date. */
export type Upgrade = {
  readonly onUpgraded: (upgraded: UpgradedStore) => void
}

/** Called once while another node brings the tables up to date: with the database, and with that node when it is known. */
export type OnWaiting = (database: string, holder: string | undefined) => void
