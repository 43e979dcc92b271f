/** A refresh that publishes into PostgreSQL. */
import { lockHolder, tryAdvisoryLock } from '../../../postgres/advisory-locks.ts'
import { type DatabasePool, openPool } from '../../../postgres/connect.ts'
import { showDatabase } from '../../../postgres/database-url.ts'
import { refuseTransactionPooling } from '../../../postgres/session-pooling.ts'
import type { SnapshotDestination } from '../../writing/snapshot-writer.ts'
import { createSnapshotTables } from '../snapshot-tables.ts'
import { createStepTable } from '../step-table.ts'
import { allSnapshots } from '../stored-snapshots.ts'
import { createSuccessionTable, removeOldSteps } from '../succession-table.ts'
import { removeDraftFolders, removeFoldersExcept } from './beside-folder.ts'
import { createPlacement, hasCitus } from './citus.ts'
import { beginRefresh, refuseOvertaken } from './fence.ts'
import { dropUnusedGenerations } from './generations.ts'
import { beginDraft } from './postgres-draft.ts'
import { removeSnapshots } from './retention.ts'

export type PostgresDestination = Required<SnapshotDestination> & {
  readonly pool: DatabasePool
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

/** Bookings and invoices are built at the same time. */
const CONNECTIONS = 4

/** @param dataFolder for the files that a refresh writes beside the records */
export function openPostgresDestination(url: string, dataFolder: string): PostgresDestination {
  const pool = openPool({
    url,
    use: 'tripfolio refresh',
    connections: CONNECTIONS,
    // The commit that publishes waits for the disk, and with it for everything before it.
    session: { synchronous_commit: 'off' },
  })
  let refresh: number | undefined
  return {
    name: showDatabase(url),
    pool,
    lock: () => tryAdvisoryLock(url, 'refresh'),
    lockHolder: () => lockHolder(url, 'refresh'),
    async begin() {
      await refuseTransactionPooling(pool, pool)
      const begun = await pool.withConnection(async (connection) => {
        await createSnapshotTables(connection)
        await createStepTable(connection)
        await createSuccessionTable(connection)
        if (await hasCitus(connection)) await createPlacement(connection)
        return beginRefresh(connection)
      })
      refresh = begun
      await dropUnusedGenerations(pool, begun)
      await removeDraftFolders(dataFolder)
      return beginDraft({ pool, dataFolder }, begun)
    },
    async removeOldSnapshots(keep) {
      // Without a refresh of its own there is nothing that it may remove.
      if (refresh !== undefined) await removeSnapshots(pool, keep, refresh)
      const left = await pool.withConnection(allSnapshots)
      await removeFoldersExcept(dataFolder, new Set(left.map(({ id }) => id)))
    },
    async removeOldChanges(days) {
      const begun = refresh
      if (begun === undefined) return
      await pool.transaction(async (connection) => {
        await refuseOvertaken(connection, begun)
        await removeOldSteps(connection, days)
      })
    },
    close: pool.close,
  }
}
