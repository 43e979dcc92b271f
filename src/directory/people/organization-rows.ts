/** Turns rows of organizations into the organizations that callers see. */
import { fold } from '../../kernel/text.ts'
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

export const columnsOf = (draft: OrganizationDraft) => ({
  number: draft.number,
  number_key: draft.number === null ? null : fold(draft.number),
  name: draft.name,
  name_key: siblingKey(draft),
  description: draft.description,
  active: draft.isActive ? 1 : 0,
  parent_id: draft.parentOrganizationId,
})

/** Equal for siblings with equal names, without regard to case. */
export const siblingKey = ({
  name,
  parentOrganizationId,
}: Pick<OrganizationDraft, 'name' | 'parentOrganizationId'>): string =>
  `${parentOrganizationId ?? ''}/${fold(name)}`
