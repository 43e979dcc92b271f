/** Opens the control store and the history in a PostgreSQL database that any number of nodes, threads and commands share. */
import { refuseTransactionPooling } from '../../postgres/session-pooling.ts'
import type { ControlTables } from '../control-tables.ts'
import type { ControlDatabase, HistoryDatabase, OnWaiting, OnWriting, Upgrade } from '../database.ts'
import type { HistoryTables } from '../history/history-tables.ts'
import { postgresExpressions } from './expressions.ts'
import { gatherState } from './gathered-state.ts'
import { hasControlTables, migrateStore } from './migrate-store.ts'
import { openPostgresQueries, prepareOn } from './open-postgres-queries.ts'
import { openStorePools, type StorePools } from './store-pools.ts'
import { watchStore } from './store-watch.ts'

export { openStorePools, type StorePools }

type Options = {
  readonly onWriting?: OnWriting | undefined
  readonly onWaiting?: OnWaiting | undefined
  readonly create?: boolean | undefined
  readonly upgrade?: Upgrade | undefined
}

/** The scratch copy for trials is that of SQLite, in memory: it is only read and changed by one process. */
export type PostgresControlDatabase = Omit<ControlDatabase, 'scratch'>

/** Closing it leaves the pools open. */
export async function openPostgresControl(
  { url, work, latest }: StorePools,
  { onWriting, onWaiting, create = true, upgrade }: Options = {},
): Promise<PostgresControlDatabase> {
  const watch = watchStore(work, onWriting)
  const lock = 'control-writes'
  const open = (relaxed: boolean) => openPostgresQueries<ControlTables>(work, { watch, lock, relaxed })
  const { queries, runEach } = open(false)
  await refuseTransactionPooling(work, latest)
  await migrateStore(queries, url, 'control', { create, onWaiting, upgrade })
  const { holderBy, endpointRevision, close: endLookUps } = gatherState(latest, watch)
  return {
    queries,
    runEach,
    expressions: postgresExpressions,
    relaxed: open(true),
    latest: { holderBy, endpointRevision, queries, prepare: prepareOn(queries) },
    close: async () => {
      endLookUps()
      watch.close()
    },
  }
}

/** Closing it leaves the pools open. */
export async function openPostgresHistory(
  { url, work }: StorePools,
  { onWriting, onWaiting, create = true, upgrade }: Options = {},
): Promise<HistoryDatabase> {
  const watch = watchStore(work, onWriting)
  const { queries, runEach } = openPostgresQueries<HistoryTables>(work, {
    watch,
    lock: 'history-writes',
    relaxed: true,
  })
  await migrateStore(queries, url, 'history', { create, onWaiting, upgrade })
  return {
    queries,
    runEach,
    expressions: postgresExpressions,
    // The server takes the space of removed rows for new ones (autovacuum).
    reclaimSpace: async () => 0,
    close: async () => watch.close(),
  }
}

/** Whether the database has a control store. @throws Problem PGS1xx */
export async function hasPostgresControl({ work }: StorePools): Promise<boolean> {
  const watch = watchStore(work)
  const { queries } = openPostgresQueries<ControlTables>(work, { watch, lock: null })
  try {
    return await hasControlTables(queries)
  } finally {
    watch.close()
  }
}
