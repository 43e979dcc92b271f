/** Refuses an organization whose name or number another one has, whose parents would form a circle, or that is nested too deep. */
import { sql, type Transaction } from 'kysely'
import { fold } from '../../kernel/text.ts'
import { MOST_ORGANIZATION_LEVELS, type OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { siblingKey } from './organization-rows.ts'
import {
  organizationNameTaken,
  organizationNumberTaken,
  organizationsInCircle,
  organizationTooDeep,
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
  if (parentOrganizationId !== null) await refusePlace(transaction, id, parentOrganizationId)
}

/** Looks at a bounded number of levels: a chain of thousands would otherwise be walked again for every change below it. */
async function refusePlace(
  transaction: Transaction<ControlTables>,
  id: string,
  parentId: string,
): Promise<void> {
  const rows = transaction.selectFrom('organizations').select(['id', 'name', 'parent_id'])
  const parent = await rows.where('id', '=', parentId).executeTakeFirst()
  if (parent === undefined) throw unknownParent(parentId)
  // One that stays where it is may be deeper than is allowed now.
  const before = await rows.where('id', '=', id).executeTakeFirst()
  if (before?.parent_id === parentId) return
  const above = await levelsAbove(transaction, parentId)
  if (above.some((level) => level.id === id)) throw organizationsInCircle(id, parent)
  const below = before === undefined ? 0 : await levelsBelow(transaction, id)
  if (above.length + 1 + below > MOST_ORGANIZATION_LEVELS) throw organizationTooDeep(parent)
}

/** The organization itself and those above it, at most one more than there may be. */
const levelsAbove = (transaction: Transaction<ControlTables>, id: string) =>
  transaction
    .withRecursive('upwards', (query) =>
      query
        .selectFrom('organizations')
        .select(['id', 'parent_id', sql<number>`1`.as('level')])
        .where('id', '=', id)
        .unionAll((step) =>
          step
            .selectFrom('organizations')
            .innerJoin('upwards', 'upwards.parent_id', 'organizations.id')
            .select([
              'organizations.id',
              'organizations.parent_id',
              sql<number>`upwards.level + 1`.as('level'),
            ])
            .where('upwards.level', '<=', MOST_ORGANIZATION_LEVELS),
        ),
    )
    .selectFrom('upwards')
    .select('id')
    .execute()

async function levelsBelow(transaction: Transaction<ControlTables>, id: string): Promise<number> {
  const deepest = await transaction
    .withRecursive('downwards', (query) =>
      query
        .selectFrom('organizations')
        .select(['id', sql<number>`0`.as('level')])
        .where('id', '=', id)
        .unionAll((step) =>
          step
            .selectFrom('organizations')
            .innerJoin('downwards', 'downwards.id', 'organizations.parent_id')
            .select(['organizations.id', sql<number>`downwards.level + 1`.as('level')])
            .where('downwards.level', '<', MOST_ORGANIZATION_LEVELS),
        ),
    )
    .selectFrom('downwards')
    .select(({ fn }) => fn.max('level').as('level'))
    .executeTakeFirst()
  return Number(deepest?.level ?? 0)
}
