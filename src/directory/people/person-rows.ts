/** Turns rows of persons into the persons that callers see. */
import type { Kysely } from 'kysely'
import type { FacetInstance, Person, PersonDraft } from '../../schema/directory-shapes.ts'
import type { ControlTables, PersonRow } from '../control-tables.ts'
import { MOST_LISTED_IDS } from './facet-tables.ts'

export const personOf = (
  row: PersonRow,
  tenantId: string,
  organizationIds: string[],
  facetInstances: FacetInstance[],
): Person => ({
  id: row.id,
  tenantId,
  ...draftOf(row, organizationIds),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  facetInstances,
})

export const draftOf = (row: PersonRow, organizationIds: string[]): PersonDraft => ({
  firstName: row.first_name,
  lastName: row.last_name,
  middleName: row.middle_name,
  prefix: row.prefix,
  suffix: row.suffix,
  emailAddress: row.email_address,
  userPrincipalName: row.user_principal_name,
  organizationIds,
  isActive: row.active === 1,
})

/** The organizations of each person, the main one first. */
export async function membershipsOf(
  db: Kysely<ControlTables>,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const byPerson = new Map<string, string[]>()
  if (personIds.length === 0) return byPerson
  const all = db.selectFrom('person_organizations').select(['person_id', 'organization_id'])
  const these = personIds.length > MOST_LISTED_IDS ? all : all.where('person_id', 'in', personIds)
  for (const { person_id, organization_id } of await these.orderBy('position').execute()) {
    const known = byPerson.get(person_id)
    if (known === undefined) byPerson.set(person_id, [organization_id])
    else known.push(organization_id)
  }
  return byPerson
}
