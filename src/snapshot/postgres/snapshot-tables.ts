/**
 * The tables that say which snapshots are published and where their records are. Snapshots are numbered in the order of their
 * publication. A row of `client_data` holds for the snapshots from `valid_from` up to, but not including, `valid_to`, so that
 * a refresh writes rows for changed clients only. On Citus these tables stay on the coordinator: a publication is a
 * transaction of one server, which readers see all or nothing of.
 */
import type { ClientBase } from 'pg'
import type { SnapshotCounts } from '../manifest.ts'
import type { RefreshWarning } from '../manifest-shape.ts'
import type { TableRows } from '../writing/row-counts.ts'
import { RECORDS_SCHEMA } from './record-tables.ts'

/** Raised whenever a release cannot read the records of the release before it, or the other way round. */
export const RECORDS_FORMAT = 2

export type StoredSnapshot = {
  readonly id: string
  /** Number in the order of publication. */
  readonly sequence: number
  readonly extractedAt: string
  readonly publishedAt: string
} & SnapshotFacts

/** What is known of a snapshot without looking at its records. */
export type SnapshotFacts = {
  readonly clients: number
  /** Equal for equal records; older versions did not write it. */
  readonly content?: string
  /** Size of the collections that the records were copied from. */
  readonly bytes: number
  readonly counts: SnapshotCounts
  readonly rejects: number
  readonly tables: TableRows
  readonly invoicesWithoutBooking: number | null
  readonly warnings: readonly RefreshWarning[]
}

const creation = `
create schema if not exists ${RECORDS_SCHEMA};
create table if not exists ${RECORDS_SCHEMA}.snapshots (
  sequence integer primary key,
  id text collate "C" not null unique,
  format integer not null,
  extracted_at timestamptz not null,
  published_at timestamptz not null,
  facts json not null
);
create table if not exists ${RECORDS_SCHEMA}.state (
  only_row boolean primary key default true check (only_row),
  current integer,
  previous integer,
  refresh integer not null default 0
);
comment on column ${RECORDS_SCHEMA}.state.current is 'snapshot that requests are answered from';
comment on column ${RECORDS_SCHEMA}.state.previous is 'snapshot that was current before';
comment on column ${RECORDS_SCHEMA}.state.refresh is 'number of the only refresh that may publish';
insert into ${RECORDS_SCHEMA}.state default values on conflict do nothing;
create table if not exists ${RECORDS_SCHEMA}.clients (
  client_number text collate "C" not null,
  name text not null,
  valid_from integer not null,
  valid_to integer,
  primary key (client_number, valid_from)
);
create table if not exists ${RECORDS_SCHEMA}.client_data (
  client_number text collate "C" not null,
  stored text collate "C" not null,
  version text collate "C" not null,
  generation integer not null,
  rows integer not null,
  elements integer not null,
  bytes bigint not null,
  labels json not null,
  valid_from integer not null,
  valid_to integer,
  primary key (client_number, stored, valid_from)
);
create index if not exists client_data_generation on ${RECORDS_SCHEMA}.client_data (generation, stored);
create table if not exists ${RECORDS_SCHEMA}.generations (
  generation integer not null,
  stored text collate "C" not null,
  rows bigint not null,
  primary key (generation, stored)
);
create sequence if not exists ${RECORDS_SCHEMA}.generation_numbers as integer;
`

/**
 * All tables or none, in one transaction. The caller holds the lock of refreshes: two sessions that create the same table at the
 * same time disturb each other.
 */
export async function createSnapshotTables(connection: ClientBase): Promise<void> {
  if (await hasSnapshotTables(connection)) return
  await connection.query(`set client_min_messages = warning; ${creation}`)
}

/** False before the first refresh. */
export async function hasSnapshotTables(connection: ClientBase): Promise<boolean> {
  const found = await connection.query(`select to_regclass('${RECORDS_SCHEMA}.state') is not null as found`)
  return found.rows[0].found
}

/** The interval of a row holds for snapshot number `sequence`, SQL text such as `$1`; `table` such as `data.` names its table. */
export const validAt = (sequence: string, table: '' | `${string}.` = ''): string =>
  `${table}valid_from <= ${sequence} and (${table}valid_to is null or ${table}valid_to > ${sequence})`
