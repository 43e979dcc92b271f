/** Turns rows of organizations into the organizations that callers see. */
import type { FacetInstance, Organization, OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { OrganizationRow } from '../control-tables.ts'

export const organizationOf = (
  row: OrganizationRow,
  tenantId: string,
  facetInstances: FacetInstance[],
): Organization => ({
  id: row.id,
  tenantId,
  ...draftOf(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  facetInstances,
})

export const draftOf = (row: OrganizationRow): OrganizationDraft => ({
  number: row.number,
  name: row.name,
  description: row.description,
  isActive: row.active === 1,
  parentOrganizationId: row.parent_id,
})
