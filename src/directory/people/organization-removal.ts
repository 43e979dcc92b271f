/**
 * Removes an organization with its facets. Refused while it has children, or is the only organization of a person. It is
 * taken off the organizations of other persons, each with its own audit entry. An organization that is deleted, and not
 * removed for good, is kept in a table of its own, from which `organization-restoring.ts` brings it back.
 */
import type { Kysely, Transaction } from 'kysely'
import type { OrganizationDraft } from '../../schema/directory-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { facetsByOwner } from './facet-tables.ts'
import { draftOf } from './organization-rows.ts'
import { membershipsOf } from './person-rows.ts'
import { organizationHasChildren, organizationIsOnlyOne, unknownOrganization } from './problems.ts'

/** The content of a row of deleted organizations. */
export type DeletedContent = {
  readonly draft: OrganizationDraft
  readonly createdAt: string
  /** Values of all its facets, those of inactive definitions too. */
  readonly facets: readonly { readonly definitionId: string; readonly chosen: string }[]
  readonly personIds: readonly string[]
}

/** Keeps the organization, so that it can be restored. */
export function deleteOrganization(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    const content = await takeOut(transaction, id, { at, by, action: 'organization.soft-delete' })
    if (content === null) throw unknownOrganization(id)
    const row = { id, deleted_at: at, deleted_by: by, content: JSON.stringify(content) }
    await transaction.insertInto('deleted_organizations').values(row).execute()
  })
}

/** Removes for good an organization, or one that was deleted before. */
export function removeOrganization(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    const removed = await takeOut(transaction, id, { at, by, action: 'organization.delete' })
    if (removed === null) await removeDeleted(transaction, id, { at, by, action: 'organization.delete' })
  })
}

type Deed = { readonly at: string; readonly by: string; readonly action: string }

/** Null for an unknown organization. */
async function takeOut(
  transaction: Transaction<ControlTables>,
  id: string,
  { at, by, action }: Deed,
): Promise<DeletedContent | null> {
  const found = transaction.selectFrom('organizations').selectAll().where('id', '=', id)
  const before = await found.executeTakeFirst()
  if (before === undefined) return null
  await refuseParent(transaction, id, before.name)
  const personIds = await removeMembers(transaction, { id, name: before.name }, at, by)
  const facetInstances = (await facetsByOwner(transaction, 'Organization', [id])).get(id) ?? []
  const values = transaction.selectFrom('organization_facets').where('organization_id', '=', id)
  const facets = await values.select(['definition_id as definitionId', 'chosen']).execute()
  await transaction.deleteFrom('organizations').where('id', '=', id).execute()
  const draft = draftOf(before)
  const entry = { at, actor: by, action, subjectId: id }
  await recordChange(transaction, { ...entry, before: { ...draft, facetInstances }, after: null })
  return { draft, createdAt: before.created_at, facets, personIds }
}

async function removeDeleted(
  transaction: Transaction<ControlTables>,
  id: string,
  { at, by, action }: Deed,
): Promise<void> {
  const kept = transaction.selectFrom('deleted_organizations').selectAll().where('id', '=', id)
  const row = await kept.executeTakeFirst()
  if (row === undefined) throw unknownOrganization(id)
  await transaction.deleteFrom('deleted_organizations').where('id', '=', id).execute()
  const { draft } = JSON.parse(row.content) as DeletedContent
  await recordChange(transaction, { at, actor: by, action, subjectId: id, before: draft, after: null })
}

async function refuseParent(
  transaction: Transaction<ControlTables>,
  id: string,
  name: string,
): Promise<void> {
  const { children } = await transaction
    .selectFrom('organizations')
    .select((of) => of.fn.countAll<number>().as('children'))
    .where('parent_id', '=', id)
    .executeTakeFirstOrThrow()
  if (children > 0) throw organizationHasChildren(name, children)
}

/** Returns the ids of the persons that belonged to it. */
async function removeMembers(
  transaction: Transaction<ControlTables>,
  { id, name }: { readonly id: string; readonly name: string },
  at: string,
  by: string,
): Promise<readonly string[]> {
  const memberships = transaction.selectFrom('person_organizations')
  const members = await memberships.select('person_id').where('organization_id', '=', id).execute()
  const memberIds = members.map(({ person_id }) => person_id)
  const before = await membershipsOf(transaction, memberIds)
  const withoutOther = memberIds.filter((person) => before.get(person)?.length === 1)
  if (withoutOther.length > 0) throw organizationIsOnlyOne(name, withoutOther.length)
  await transaction.deleteFrom('person_organizations').where('organization_id', '=', id).execute()
  for (const person of memberIds) {
    await transaction.updateTable('persons').set({ updated_at: at }).where('id', '=', person).execute()
    const organizationIds = before.get(person) ?? []
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'person.update',
      subjectId: person,
      before: { organizationIds },
      after: { organizationIds: organizationIds.filter((other) => other !== id) },
    })
  }
  return memberIds
}
