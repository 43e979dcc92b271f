/** Imports rows of persons, many at a time: finds each by id or email address, and creates or changes it. */
import { fold } from '../../kernel/text.ts'
import type { FacetInstance, PersonDraft } from '../../schema/directory-shapes.ts'
import { changedMembers } from '../audit/audit.ts'
import type { PersonRow } from '../control-tables.ts'
import { facetsByOwner } from '../people/facet-tables.ts'
import { draftOf, membershipsOf } from '../people/person-rows.ts'
import { checkPerson, personColumns } from '../people/persons.ts'
import { listIn } from './csv-text.ts'
import { type ColumnName, type DirectoryRow, faultAt, flagOf } from './directory-file.ts'
import {
  type FacetChange,
  facetChanges,
  type ImportState,
  isRepeated,
  referredId,
  reportProblem,
} from './import-state.ts'
import { type Entry, inChunks, recordAll, writeFacets } from './write-rows.ts'

type Target = { readonly row: DirectoryRow; readonly before: PersonRow | undefined; readonly id: string }

type Change = Target & {
  readonly draft: PersonDraft
  /** Undefined when only facets change. */
  readonly changed: ReturnType<typeof changedMembers<PersonDraft>>
  readonly facets: readonly FacetChange[]
}

const blank: PersonDraft = {
  firstName: null,
  lastName: '',
  middleName: null,
  prefix: null,
  suffix: null,
  emailAddress: '',
  userPrincipalName: null,
  organizationIds: [],
  isActive: true,
}

/** @param rows 500 at most */
export async function importPersons(state: ImportState, rows: readonly DirectoryRow[]): Promise<void> {
  const targets = await findTargets(state, rows)
  const ids = targets.filter(({ before }) => before !== undefined).map(({ id }) => id)
  const memberships = await membershipsOf(state.transaction, ids)
  const facets = await facetsByOwner(state.transaction, 'Person', ids)
  const changes: Change[] = []
  for (const target of targets) {
    const change = await changeOf(
      state,
      target,
      memberships.get(target.id) ?? [],
      facets.get(target.id) ?? [],
    )
    if (change !== null) changes.push(change)
  }
  await write(state, changes)
}

async function findTargets(state: ImportState, rows: readonly DirectoryRow[]): Promise<readonly Target[]> {
  const all = state.transaction.selectFrom('persons').selectAll()
  const ids = rows.flatMap(({ id }) => id ?? [])
  const keys = rows.flatMap(({ id, members }) => (id === null ? fold(members.emailAddress ?? '') : []))
  const byId = ids.length === 0 ? [] : await all.where('id', 'in', ids).execute()
  const byKey = keys.length === 0 ? [] : await all.where('email_key', 'in', keys).execute()
  const withId = new Map(byId.map((row) => [row.id, row]))
  const withKey = Map.groupBy(byKey, ({ email_key }) => email_key)
  return rows.flatMap((row) => {
    const key = fold(row.members.emailAddress ?? '')
    const found = row.id === null ? (withKey.get(key) ?? []) : [withId.get(row.id)]
    const [before] = found
    if (found.length > 1) {
      state.report(faultAt(row.line, 'emailAddress', 'belongs to several persons: give the id of one'))
      return []
    }
    const id = before?.id ?? row.id ?? crypto.randomUUID()
    // A row without an id that makes a person is known by its address, so that a second one does not make another.
    const name = row.id === null && before === undefined ? `address ${key}` : id
    return isRepeated(state, row, name) ? [] : [{ row, before, id }]
  })
}

const texts = [
  'firstName',
  'lastName',
  'middleName',
  'prefix',
  'suffix',
  'emailAddress',
  'userPrincipalName',
] as const satisfies readonly (ColumnName & keyof PersonDraft)[]

async function changeOf(
  state: ImportState,
  target: Target,
  memberOf: string[],
  present: readonly FacetInstance[],
): Promise<Change | null> {
  const { row, before, id } = target
  const { members, line } = row
  const base = before === undefined ? blank : draftOf(before, memberOf)
  const references = members.organizations === undefined ? null : listIn(members.organizations)
  const organizationIds = references?.map((text) => referredId(state, row, 'organizations', text))
  if (organizationIds?.includes(null)) return null
  const wanted = {
    ...base,
    ...Object.fromEntries(
      texts.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
    ),
    isActive: flagOf(members.isActive) ?? base.isActive,
    organizationIds: (organizationIds as string[] | undefined) ?? base.organizationIds,
  }
  try {
    const draft = await checkPerson(wanted)
    const facets = facetChanges(state, row, present)
    const changed = changedMembers(before === undefined ? ({} as PersonDraft) : base, draft)
    const names = [
      ...(changed === undefined ? [] : Object.keys(changed.after)),
      ...facets.map(({ column }) => column),
    ]
    const outcome = before === undefined ? 'created' : names.length > 0 ? 'changed' : 'unchanged'
    state.note({ line, resource: 'Person', id, name: draft.emailAddress, outcome, members: names })
    return outcome === 'unchanged' ? null : { ...target, draft, changed, facets }
  } catch (cause) {
    reportProblem(state, line, null, cause)
    return null
  }
}

async function write(state: ImportState, changes: readonly Change[]): Promise<void> {
  const { transaction, at } = state
  const created = changes.filter(({ before }) => before === undefined)
  await inChunks(created, (chunk) =>
    transaction
      .insertInto('persons')
      .values(chunk.map(({ id, draft }) => ({ id, ...personColumns(draft), created_at: at, updated_at: at })))
      .execute(),
  )
  for (const { id, draft, before } of changes) {
    if (before === undefined) continue
    const columns = { ...personColumns(draft), updated_at: at }
    await transaction.updateTable('persons').set(columns).where('id', '=', id).execute()
  }
  const moved = changes.filter(({ changed }) => changed?.after.organizationIds !== undefined)
  const movedIds = moved.filter(({ before }) => before !== undefined).map(({ id }) => id)
  if (movedIds.length > 0)
    await transaction.deleteFrom('person_organizations').where('person_id', 'in', movedIds).execute()
  const memberships = moved.flatMap(({ id, draft }) =>
    draft.organizationIds.map((organizationId, position) => ({
      person_id: id,
      organization_id: organizationId,
      position,
    })),
  )
  await inChunks(memberships, (chunk) =>
    transaction
      .insertInto('person_organizations')
      .values([...chunk])
      .execute(),
  )
  await recordAll(
    state,
    changes.flatMap(({ id, before, draft, changed }): readonly Entry[] => {
      if (before === undefined)
        return [{ action: 'person.create', subjectId: id, before: null, after: draft }]
      return changed === undefined ? [] : [{ action: 'person.update', subjectId: id, ...changed }]
    }),
  )
  await writeFacets(
    state,
    'Person',
    changes.flatMap(({ id, facets }) => facets.map((change) => ({ ownerId: id, change }))),
  )
}
