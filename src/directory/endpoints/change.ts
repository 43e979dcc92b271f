/** Runs every change of an existing endpoint in one transaction, which has the write lock before it reads. */
import type { Kysely } from 'kysely'
import type { Endpoint } from '../../schema/endpoint-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { draftHasChanged } from './problems.ts'
import { readEndpoint, readStored, type StoredEndpoint } from './rows.ts'

/** @returns the endpoint after the change */
export const changeEndpoint = (
  db: Kysely<ControlTables>,
  id: string,
  change: (transaction: Kysely<ControlTables>, stored: StoredEndpoint) => Promise<void>,
): Promise<Endpoint> =>
  db.transaction().execute(async (transaction) => {
    await change(transaction, await readStored(transaction, id))
    return readEndpoint(transaction, id)
  })

/** Undefined accepts any revision. */
export function refuseOtherRevision(stored: StoredEndpoint, revision: number | undefined): void {
  if (revision === undefined || revision === stored.draft_revision) return
  throw draftHasChanged(stored.name, revision, {
    revision: stored.draft_revision,
    changedBy: stored.draft_changed_by,
    changedAt: stored.draft_changed_at,
  })
}
