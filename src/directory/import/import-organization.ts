/** Imports a row of an organization: finds it by its id, its number or its place, and creates or changes it. */
import { fold } from '../../kernel/text.ts'
import type { OrganizationDraft } from '../../schema/directory-shapes.ts'
import { changedMembers } from '../audit/audit.ts'
import type { OrganizationRow } from '../control-tables.ts'
import { facetsByOwner } from '../people/facet-tables.ts'
import { refuseConflicts } from '../people/organization-conflicts.ts'
import { columnsOf, draftOf, siblingKey } from '../people/organization-rows.ts'
import { checkOrganization } from '../people/organizations.ts'
import { type DirectoryRow, faultAt, flagOf } from './directory-file.ts'
import {
  facetChanges,
  type ImportState,
  isRepeated,
  know,
  referredId,
  reportProblem,
} from './import-state.ts'
import { recordAll, writeFacets } from './write-rows.ts'

const blank: OrganizationDraft = {
  number: null,
  name: '',
  description: null,
  isActive: true,
  parentOrganizationId: null,
}

export async function importOrganization(
  state: ImportState,
  row: DirectoryRow,
  deletedIds: ReadonlySet<string>,
): Promise<void> {
  const { transaction, organizations, at } = state
  if (row.id !== null && deletedIds.has(row.id))
    return state.report(faultAt(row.line, 'id', 'is that of a deleted organization: restore it first'))
  const { parent } = row.members
  const parentId = parent ? referredId(state, row, 'parent', parent) : null
  if (parent && parentId === null) return
  const found = findOrganization(state, row, parentId)
  const id = found?.id ?? row.id ?? crypto.randomUUID()
  if (isRepeated(state, row, id)) return
  const base = found === undefined ? blank : draftOf(found)
  const wanted = {
    ...base,
    ...textsOf(row),
    isActive: flagOf(row.members.isActive) ?? base.isActive,
    ...(parent !== undefined && { parentOrganizationId: parentId }),
  }
  const draft = await checkedDraft(state, row, id, wanted)
  if (draft === null) return
  const present =
    found === undefined || row.facets.length === 0
      ? []
      : ((await facetsByOwner(transaction, 'Organization', [id])).get(id) ?? [])
  const facets = facetChanges(state, row, present)
  const changed = changedMembers(found === undefined ? ({} as OrganizationDraft) : base, draft)
  const members = [
    ...(changed === undefined ? [] : Object.keys(changed.after)),
    ...facets.map(({ column }) => column),
  ]
  const outcome = found === undefined ? 'created' : members.length > 0 ? 'changed' : 'unchanged'
  if (outcome !== 'unchanged') {
    const written: OrganizationRow = {
      id,
      ...columnsOf(draft),
      created_at: found?.created_at ?? at,
      updated_at: at,
    }
    if (found === undefined) await transaction.insertInto('organizations').values(written).execute()
    else await transaction.updateTable('organizations').set(written).where('id', '=', id).execute()
    know(organizations, written)
    if (found === undefined)
      await recordAll(state, [{ action: 'organization.create', subjectId: id, before: null, after: draft }])
    else if (changed !== undefined)
      await recordAll(state, [{ action: 'organization.update', subjectId: id, ...changed }])
    await writeFacets(
      state,
      'Organization',
      facets.map((change) => ({ ownerId: id, change })),
    )
  }
  state.note({ line: row.line, resource: 'Organization', id, name: draft.name, outcome, members })
}

/** By number when the row has one, because names change more often; otherwise by name and parent. */
function findOrganization(
  { organizations }: ImportState,
  { id, members }: DirectoryRow,
  parentOrganizationId: string | null,
): OrganizationRow | undefined {
  if (id !== null) return organizations.byId.get(id)
  if (members.number) return organizations.byNumber.get(fold(members.number))
  return organizations.bySiblingKey.get(siblingKey({ name: members.name ?? '', parentOrganizationId }))
}

function textsOf({ members: { number, name, description } }: DirectoryRow): Partial<OrganizationDraft> {
  return {
    ...(number !== undefined && { number }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
}

async function checkedDraft(
  state: ImportState,
  row: DirectoryRow,
  id: string,
  wanted: OrganizationDraft,
): Promise<OrganizationDraft | null> {
  try {
    const draft = await checkOrganization(wanted)
    await refuseConflicts(state.transaction, id, draft)
    return draft
  } catch (cause) {
    reportProblem(state, row.line, null, cause)
    return null
  }
}
