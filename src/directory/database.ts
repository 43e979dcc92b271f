/**
 * What the stores need of a database. `sqlite/` provides it; a second database is a folder beside it that provides the same,
 * chosen in `open-stores.ts`. Every fault of the database itself leaves here as a Problem (DIR1xx).
 */
import type { Compilable, CompiledQuery, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Soon } from '../kernel/soon.ts'
import type { ControlTables } from './control-tables.ts'
import type { HistoryTables } from './history/history-tables.ts'

export type Database<Tables> = Queries<Tables> & {
  readonly expressions: Expressions
  readonly close: () => Promise<void>
}

export type Queries<Tables> = {
  /** In a transaction, what was read stays as it is until the transaction ends: nobody else writes meanwhile. */
  readonly queries: Kysely<Tables>
  /**
   * Runs one statement with each of these values, within a transaction of `queries`: for many rows, which the query builder
   * makes dearer than writing them.
   *
   * @returns how many rows each of them changed
   */
  readonly runEach: (
    transaction: Transaction<Tables>,
    query: CompiledQuery<unknown>,
    values: readonly (readonly unknown[])[],
  ) => Promise<readonly number[]>
}

/** What databases write in words of their own. */
export type Expressions = {
  /** Grows with every row that is added to the trail of changes, also within one millisecond. */
  readonly orderOfWriting: RawBuilder<number>
  /** A text member of a column that holds a JSON object. */
  readonly textMember: (column: string, member: string) => RawBuilder<string>
  /** Letters and their case exactly as they are; no character is a pattern. */
  readonly contains: (column: string, text: string) => RawBuilder<boolean>
  /** The value of a column by which the planner is not to choose an index. */
  readonly withoutIndex: (column: string) => RawBuilder<string>
}

export type ControlDatabase = Database<ControlTables> & {
  readonly latest: LatestReads<ControlTables>
  /** Commits here do not wait for the disk: for facts that may be lost with the power. */
  readonly relaxed: Queries<ControlTables>
  /** A database of its own with these rows alone, of which nothing is left when it is closed. */
  readonly scratch: (content: TableContent<ControlTables>) => Promise<Database<ControlTables>>
}

/** For caches of what is in the database. */
export type LatestReads<Tables> = {
  /**
   * Another value as soon as anybody, in any thread or process, has committed a change. Asked in every request, hence
   * synchronous: some microseconds at most, and no row is read.
   */
  readonly version: () => unknown
  /** Reads here see everything that was committed when `version` was last asked. */
  readonly queries: Kysely<Tables>
  /**
   * Builds a query once that is asked in many requests, each time with other values in the places of those it is given. A
   * database in this process answers at once.
   */
  readonly prepare: <Row>(query: Compilable<Row>) => (values: readonly unknown[]) => Soon<readonly Row[]>
}

export type TableContent<Tables> = {
  readonly [Table in keyof Tables]?: readonly Tables[Table][]
}

export type HistoryDatabase = Database<HistoryTables> & {
  /** Gives back a part of the space that removed rows have left. @returns how many steps of it; call again until 0 */
  readonly reclaimSpace: () => Promise<number>
}

/**
 * How often it is asked whether anything has changed: in every call, or once in a turn of the event loop. The requests of
 * one turn were all under way when it began, so that none of them can have been sent after a change that it misses; and
 * asking costs more than the rest of authentication.
 */
export type Freshness = 'call' | 'turn'

/** Told why a database cannot be written, once, and null when it can be written again. */
export type OnWriting = (reason: string | null) => void
