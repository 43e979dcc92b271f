/**
 * Brings a deleted organization back: with its id, the values of facets whose definitions still exist, and the persons that
 * still exist and have room for it, as the last of their organizations. Refused when another organization has its name or
 * number by now, or when its parent is gone. Also lists the deleted organizations.
 */
import type { Kysely, Transaction } from 'kysely'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import { type DeletedOrganization, MOST_ORGANIZATIONS } from '../../schema/directory-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { refuseConflicts } from './organization-conflicts.ts'
import type { DeletedContent } from './organization-removal.ts'
import { columnsOf } from './organization-rows.ts'
import { membershipsOf } from './person-rows.ts'
import { notDeleted, parentIsGone } from './problems.ts'

export function restoreOrganization(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    const kept = transaction.selectFrom('deleted_organizations').selectAll().where('id', '=', id)
    const row = await kept.executeTakeFirst()
    if (row === undefined) throw notDeleted(id)
    const { draft, createdAt, facets, personIds } = JSON.parse(row.content) as DeletedContent
    await refuseMissingParent(transaction, draft.name, draft.parentOrganizationId)
    await refuseConflicts(transaction, id, draft)
    await transaction.deleteFrom('deleted_organizations').where('id', '=', id).execute()
    const columns = { id, ...columnsOf(draft), created_at: createdAt, updated_at: at }
    await transaction.insertInto('organizations').values(columns).execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'organization.restore',
      subjectId: id,
      before: null,
      after: draft,
    })
    await restoreFacets(transaction, id, facets)
    await restoreMembers(transaction, id, personIds, { at, by })
  })
}

export async function listDeleted(db: Kysely<ControlTables>): Promise<readonly DeletedOrganization[]> {
  const rows = await db.selectFrom('deleted_organizations').selectAll().execute()
  const deleted = rows.map(({ id, deleted_at, deleted_by, content }) => {
    const { number, name } = (JSON.parse(content) as DeletedContent).draft
    return { id, number, name, deletedAt: deleted_at, deletedBy: deleted_by }
  })
  return deleted.sort((a, b) => compareCodePoints(fold(a.name), fold(b.name)))
}

async function refuseMissingParent(
  transaction: Transaction<ControlTables>,
  name: string,
  parentId: string | null,
): Promise<void> {
  if (parentId === null) return
  const parent = transaction.selectFrom('organizations').select('id').where('id', '=', parentId)
  if ((await parent.executeTakeFirst()) === undefined) throw parentIsGone(name, parentId)
}

async function restoreFacets(
  transaction: Transaction<ControlTables>,
  id: string,
  facets: DeletedContent['facets'],
): Promise<void> {
  for (const { definitionId, chosen } of facets) {
    const definition = transaction.selectFrom('facet_definitions').select('id').where('id', '=', definitionId)
    if ((await definition.executeTakeFirst()) === undefined) continue
    const row = { organization_id: id, definition_id: definitionId, chosen }
    await transaction.insertInto('organization_facets').values(row).execute()
  }
}

async function restoreMembers(
  transaction: Transaction<ControlTables>,
  id: string,
  personIds: readonly string[],
  { at, by }: { readonly at: string; readonly by: string },
): Promise<void> {
  // Every person has an organization, so those without one do not exist any more.
  const memberships = await membershipsOf(transaction, personIds)
  for (const person of personIds) {
    const before = memberships.get(person)
    if (before === undefined || before.length >= MOST_ORGANIZATIONS) continue
    const { last } = await transaction
      .selectFrom('person_organizations')
      .select((of) => of.fn.max<number>('position').as('last'))
      .where('person_id', '=', person)
      .executeTakeFirstOrThrow()
    const membership = { person_id: person, organization_id: id, position: last + 1 }
    await transaction.insertInto('person_organizations').values(membership).execute()
    await transaction.updateTable('persons').set({ updated_at: at }).where('id', '=', person).execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'person.update',
      subjectId: person,
      before: { organizationIds: before },
      after: { organizationIds: [...before, id] },
    })
  }
}
