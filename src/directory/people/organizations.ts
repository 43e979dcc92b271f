/** Organizations form a forest by their parents. Each change is one transaction with its audit entry. */
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { DeletedOrganization, Organization, OrganizationDraft } from '../../schema/directory-shapes.ts'
import { tenantOf } from '../accounts/tenant.ts'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables, OrganizationRow } from '../control-tables.ts'
import { checkDraft } from '../endpoints/drafts.ts'
import { facetsByOwner } from './facet-tables.ts'
import { refuseConflicts } from './organization-conflicts.ts'
import { deleteOrganization, removeOrganization } from './organization-removal.ts'
import { listDeleted, restoreOrganization } from './organization-restoring.ts'
import { columnsOf, draftOf, organizationOf } from './organization-rows.ts'
import { badPeopleDraft, unknownOrganization } from './problems.ts'

/** Texts are trimmed; ids match in any letter case. */
export type Organizations = {
  /** By name. */
  readonly list: () => Promise<readonly Organization[]>
  /** Null for an unknown or malformed id. */
  readonly byId: (id: string) => Promise<Organization | null>
  /** Direct children only, by name. */
  readonly children: (id: string) => Promise<readonly Organization[]>
  /** @throws Problem DIR4xx: a name or number that is taken, an unknown parent */
  readonly create: (draft: OrganizationDraft, by: string) => Promise<Organization>
  /** Replaces all members. @throws Problem as above, and for a parent that would close a circle */
  readonly update: (id: string, draft: OrganizationDraft, by: string) => Promise<Organization>
  /**
   * Removes it for good, also one that was deleted. Persons with other organizations lose only this one; the next one becomes
   * their main organization.
   *
   * @throws Problem DIR413, DIR414: it has children, or is the only organization of a person
   */
  readonly remove: (id: string, by: string) => Promise<void>
  /** As `remove`, but keeps it so that it can be restored. No other operation finds it then, and its name is free. */
  readonly delete: (id: string, by: string) => Promise<void>
  /** The organizations that can be restored, by name. */
  readonly deleted: () => Promise<readonly DeletedOrganization[]>
  /**
   * Brings back a deleted organization with its facets and persons, as far as they still exist.
   *
   * @throws Problem DIR640, DIR641: it is not a deleted one, or its parent is gone; DIR410, DIR411: its name or number is taken
   */
  readonly restore: (id: string, by: string) => Promise<Organization>
}

export const createOrganizations = (db: Kysely<ControlTables>): Organizations => ({
  list: () => read(db, (all) => all),
  byId: async (id) => (await read(db, (all) => all.where('id', '=', id.toLowerCase())))[0] ?? null,
  children: (id) => read(db, (all) => all.where('parent_id', '=', id.toLowerCase())),
  create: (draft, by) => create(db, draft, by),
  update: (id, draft, by) => update(db, id.toLowerCase(), draft, by),
  remove: (id, by) => removeOrganization(db, id.toLowerCase(), by),
  delete: (id, by) => deleteOrganization(db, id.toLowerCase(), by),
  deleted: () => listDeleted(db),
  restore: (id, by) => restore(db, id.toLowerCase(), by),
})

type OrganizationQuery = SelectQueryBuilder<ControlTables, 'organizations', OrganizationRow>

async function read(
  db: Kysely<ControlTables>,
  narrow: (all: OrganizationQuery) => OrganizationQuery,
): Promise<readonly Organization[]> {
  const found = await narrow(db.selectFrom('organizations').selectAll()).execute()
  if (found.length === 0) return []
  const rows = found
    .map((row) => ({ row, key: `${fold(row.name)}\0${row.id}` }))
    .sort((a, b) => compareCodePoints(a.key, b.key))
    .map(({ row }) => row)
  const { id: tenantId } = await tenantOf(db)
  const ids = rows.map(({ id }) => id)
  const facets = await facetsByOwner(db, 'Organization', ids)
  return rows.map((row) => organizationOf(row, tenantId, facets.get(row.id) ?? []))
}

async function create(
  db: Kysely<ControlTables>,
  draft: OrganizationDraft,
  by: string,
): Promise<Organization> {
  const checked = await checkOrganization(draft)
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    await refuseConflicts(transaction, id, checked)
    const row = { id, ...columnsOf(checked), created_at: at, updated_at: at }
    await transaction.insertInto('organizations').values(row).execute()
    const entry = { at, actor: by, action: 'organization.create', subjectId: id }
    await recordChange(transaction, { ...entry, before: null, after: checked })
    return organizationOf(row, (await tenantOf(transaction)).id, [])
  })
}

/** An update that changes nothing leaves no audit entry. */
async function update(
  db: Kysely<ControlTables>,
  id: string,
  draft: OrganizationDraft,
  by: string,
): Promise<Organization> {
  const checked = await checkOrganization(draft)
  return db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('organizations').selectAll().where('id', '=', id)
    const before = await found.executeTakeFirst()
    if (before === undefined) throw unknownOrganization(id)
    await refuseConflicts(transaction, id, checked)
    const changed = changedMembers(draftOf(before), checked)
    if (changed !== undefined) {
      const at = new Date().toISOString()
      const columns = { ...columnsOf(checked), updated_at: at }
      await transaction.updateTable('organizations').set(columns).where('id', '=', id).execute()
      const entry = { at, actor: by, action: 'organization.update', subjectId: id }
      await recordChange(transaction, { ...entry, ...changed })
    }
    const [organization] = await read(transaction, (all) => all.where('id', '=', id))
    if (organization === undefined) throw unknownOrganization(id)
    return organization
  })
}

async function restore(db: Kysely<ControlTables>, id: string, by: string): Promise<Organization> {
  await restoreOrganization(db, id, by)
  const [organization] = await read(db, (all) => all.where('id', '=', id))
  if (organization === undefined) throw unknownOrganization(id)
  return organization
}

/** Trimmed, with ids in lower case. @throws DetailedProblem DIR430 */
export async function checkOrganization(draft: OrganizationDraft): Promise<OrganizationDraft> {
  const checked = await checkDraft('OrganizationDraft', draft, (details) =>
    badPeopleDraft('organization', details),
  )
  return { ...checked, parentOrganizationId: checked.parentOrganizationId?.toLowerCase() ?? null }
}
