/**
 * Removes an organization with its facets. Refused while it has children, or is the only organization of a person. It is
 * taken off the organizations of other persons, each with its own audit entry.
 */
import type { Kysely, Transaction } from 'kysely'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { facetsByOwner } from './facet-tables.ts'
import { draftOf } from './organization-rows.ts'
import { membershipsOf } from './person-rows.ts'
import { organizationHasChildren, organizationIsOnlyOne, unknownOrganization } from './problems.ts'

export function removeOrganization(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('organizations').selectAll().where('id', '=', id)
    const before = await found.executeTakeFirst()
    if (before === undefined) throw unknownOrganization(id)
    await refuseParent(transaction, id, before.name)
    await removeMembers(transaction, { id, name: before.name }, at, by)
    const facetInstances = (await facetsByOwner(transaction, 'Organization', [id])).get(id) ?? []
    await transaction.deleteFrom('organizations').where('id', '=', id).execute()
    const entry = { at, actor: by, action: 'organization.delete', subjectId: id }
    await recordChange(transaction, { ...entry, before: { ...draftOf(before), facetInstances }, after: null })
  })
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

async function removeMembers(
  transaction: Transaction<ControlTables>,
  { id, name }: { readonly id: string; readonly name: string },
  at: string,
  by: string,
): Promise<void> {
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
}
