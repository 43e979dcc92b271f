/** Refuses an organization whose name or number another one has, or whose parents would form a circle. */
import type { Transaction } from 'kysely'
import { fold } from '../../kernel/text.ts'
import type { OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { siblingKey } from './organization-rows.ts'
import {
  organizationNameTaken,
  organizationNumberTaken,
  organizationsInCircle,
  unknownParent,
} from './problems.ts'

/** The transaction has the write lock, so that these checks still hold when the row is written. */
export async function refuseConflicts(
  transaction: Transaction<ControlTables>,
  id: string,
  draft: OrganizationDraft,
): Promise<void> {
  const { number, parentOrganizationId } = draft
  const others = transaction.selectFrom('organizations').select(['id', 'name']).where('id', '<>', id)
  const sameName = await others.where('name_key', '=', siblingKey(draft)).executeTakeFirst()
  if (sameName !== undefined) throw organizationNameTaken(sameName)
  if (number !== null) {
    const sameNumber = await others.where('number_key', '=', fold(number)).executeTakeFirst()
    if (sameNumber !== undefined) throw organizationNumberTaken(number, sameNumber)
  }
  if (parentOrganizationId !== null) await refuseCircle(transaction, id, parentOrganizationId)
}

async function refuseCircle(
  transaction: Transaction<ControlTables>,
  id: string,
  parentId: string,
): Promise<void> {
  const rows = transaction.selectFrom('organizations').select(['id', 'name'])
  const parent = await rows.where('id', '=', parentId).executeTakeFirst()
  if (parent === undefined) throw unknownParent(parentId)
  const closing = await transaction
    .withRecursive('upwards', (query) =>
      query
        .selectFrom('organizations')
        .select(['id', 'parent_id'])
        .where('id', '=', parentId)
        .union((step) =>
          step
            .selectFrom('organizations')
            .innerJoin('upwards', 'upwards.parent_id', 'organizations.id')
            .select(['organizations.id', 'organizations.parent_id']),
        ),
    )
    .selectFrom('upwards')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (closing !== undefined) throw organizationsInCircle(id, parent)
}
