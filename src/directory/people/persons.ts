/** Persons and the organizations they belong to, the first of which is their main one. */
import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { Person, PersonDraft } from '../../schema/directory-shapes.ts'
import { tenantOf } from '../accounts/tenant.ts'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables, PersonRow } from '../control-tables.ts'
import { checkDraft } from '../endpoints/drafts.ts'
import { facetsByOwner } from './facet-tables.ts'
import { draftOf, membershipsOf, personOf } from './person-rows.ts'
import { badPeopleDraft, unknownMembership, unknownPerson } from './problems.ts'

type PersonFilter = {
  /** Persons who have this organization among theirs. */
  readonly organizationId?: string | undefined
  /** Within first and last name, email address or sign-in name, without regard to case. */
  readonly text?: string | undefined
}

/** A person without what other tables hold. */
export type PersonBrief = Omit<Person, 'tenantId' | 'organizationIds' | 'facetInstances'>

/** Texts are trimmed; ids match in any letter case. */
export type Persons = {
  /** By last name, first name, email address. */
  readonly list: (filter?: PersonFilter) => Promise<readonly Person[]>
  /** Without organizations and facets, for lists of many. */
  readonly briefs: (organizationId?: string) => Promise<readonly PersonBrief[]>
  /** Adds organizations and facets, in the same order. */
  readonly complete: (briefs: readonly PersonBrief[]) => Promise<readonly Person[]>
  readonly byId: (id: string) => Promise<Person | null>
  /** Without regard to case, the oldest first. */
  readonly byEmail: (emailAddress: string) => Promise<readonly Person[]>
  /** @throws Problem DIR4xx for an unknown organization, and for none or more than 50 */
  readonly create: (draft: PersonDraft, by: string) => Promise<Person>
  readonly update: (id: string, draft: PersonDraft, by: string) => Promise<Person>
  /** Removes the values of their facets too. */
  readonly remove: (id: string, by: string) => Promise<void>
}

export const createPersons = (db: Kysely<ControlTables>): Persons => ({
  list: (filter) => list(db, filter),
  briefs: async (organizationId) => {
    const rows = await membersOf(db.selectFrom('persons').selectAll(), organizationId).execute()
    return rows.map(briefOf)
  },
  complete: async (briefs) => {
    const ids = briefs.map(({ id }) => id)
    const persons = ids.length === 0 ? [] : await read(db, (all) => all.where('id', 'in', ids))
    const byId = new Map(persons.map((person) => [person.id, person]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  },
  byId: (id) => readOne(db, id.toLowerCase()),
  byEmail: (emailAddress) =>
    read(db, (all) =>
      all.where('email_key', '=', fold(emailAddress.trim())).orderBy('created_at').orderBy('id'),
    ),
  create: (draft, by) => create(db, draft, by),
  update: (id, draft, by) => update(db, id.toLowerCase(), draft, by),
  remove: (id, by) => remove(db, id.toLowerCase(), by),
})

/** Sorted and searched here, because the database folds ASCII only. */
async function list(
  db: Kysely<ControlTables>,
  { organizationId, text }: PersonFilter = {},
): Promise<readonly Person[]> {
  const persons = await read(db, (all) => membersOf(all, organizationId))
  const wanted = text === undefined ? '' : fold(text.trim())
  return persons
    .map((person) => ({ person, key: sortKey(person), searched: searchedText(person) }))
    .filter(({ searched }) => searched.includes(wanted))
    .sort((a, b) => compareCodePoints(a.key, b.key))
    .map(({ person }) => person)
}

/** NUL separates the parts: none of them can hold it, and it sorts before every other character. */
const sortKey = ({ lastName, firstName, emailAddress, id }: Person): string =>
  [fold(lastName), fold(firstName ?? ''), fold(emailAddress), id].join('\0')

const searchedText = ({ firstName, lastName, emailAddress, userPrincipalName }: Person): string =>
  fold([`${firstName ?? ''} ${lastName}`, emailAddress, userPrincipalName ?? ''].join('\0'))

const membersOf = (all: PersonQuery, organizationId: string | undefined): PersonQuery =>
  organizationId === undefined
    ? all
    : all.where((is) =>
        is.exists(
          is
            .selectFrom('person_organizations')
            .select('person_id')
            .whereRef('person_id', '=', 'persons.id')
            .where('organization_id', '=', organizationId.toLowerCase()),
        ),
      )

const briefOf = (row: PersonRow): PersonBrief => {
  const { organizationIds: _, ...draft } = draftOf(row, [])
  return { id: row.id, ...draft, createdAt: row.created_at, updatedAt: row.updated_at }
}

type PersonQuery = SelectQueryBuilder<ControlTables, 'persons', PersonRow>

async function read(
  db: Kysely<ControlTables>,
  narrow: (all: PersonQuery) => PersonQuery,
): Promise<readonly Person[]> {
  const rows = await narrow(db.selectFrom('persons').selectAll()).execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const { id: tenantId } = await tenantOf(db)
  const organizations = await membershipsOf(db, ids)
  const facets = await facetsByOwner(db, 'Person', ids)
  return rows.map((row) => personOf(row, tenantId, organizations.get(row.id) ?? [], facets.get(row.id) ?? []))
}

const readOne = async (db: Kysely<ControlTables>, id: string): Promise<Person | null> =>
  (await read(db, (all) => all.where('id', '=', id)))[0] ?? null

async function create(db: Kysely<ControlTables>, draft: PersonDraft, by: string): Promise<Person> {
  const checked = await checkPerson(draft)
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    const row = { id, ...personColumns(checked), created_at: at, updated_at: at }
    await transaction.insertInto('persons').values(row).execute()
    await setOrganizations(transaction, id, checked.organizationIds)
    const entry = { at, actor: by, action: 'person.create', subjectId: id }
    await recordChange(transaction, { ...entry, before: null, after: checked })
    return personOf(row, (await tenantOf(transaction)).id, checked.organizationIds, [])
  })
}

/** An update that changes nothing leaves no audit entry. */
async function update(
  db: Kysely<ControlTables>,
  id: string,
  draft: PersonDraft,
  by: string,
): Promise<Person> {
  const checked = await checkPerson(draft)
  return db.transaction().execute(async (transaction) => {
    const before = await draftById(transaction, id)
    const changed = changedMembers(before, checked)
    if (changed !== undefined) {
      const at = new Date().toISOString()
      const columns = { ...personColumns(checked), updated_at: at }
      await transaction.updateTable('persons').set(columns).where('id', '=', id).execute()
      if (changed.after.organizationIds !== undefined) {
        await setOrganizations(transaction, id, checked.organizationIds)
      }
      const entry = { at, actor: by, action: 'person.update', subjectId: id }
      await recordChange(transaction, { ...entry, ...changed })
    }
    const person = await readOne(transaction, id)
    if (person === null) throw unknownPerson(id)
    return person
  })
}

function remove(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const before = await draftById(transaction, id)
    const facetInstances = (await facetsByOwner(transaction, 'Person', [id])).get(id) ?? []
    await transaction.deleteFrom('persons').where('id', '=', id).execute()
    const entry = { at: new Date().toISOString(), actor: by, action: 'person.delete', subjectId: id }
    await recordChange(transaction, { ...entry, before: { ...before, facetInstances }, after: null })
  })
}

async function draftById(transaction: Transaction<ControlTables>, id: string): Promise<PersonDraft> {
  const row = await transaction.selectFrom('persons').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw unknownPerson(id)
  return draftOf(row, (await membershipsOf(transaction, [id])).get(id) ?? [])
}

/** Trimmed, with ids in lower case. @throws DetailedProblem DIR430 */
export async function checkPerson(draft: PersonDraft): Promise<PersonDraft> {
  const lower = { ...draft, organizationIds: draft.organizationIds.map((id) => id.toLowerCase()) }
  return checkDraft('PersonDraft', lower, (details) => badPeopleDraft('person', details))
}

export const personColumns = (draft: PersonDraft) => ({
  first_name: draft.firstName,
  last_name: draft.lastName,
  middle_name: draft.middleName,
  prefix: draft.prefix,
  suffix: draft.suffix,
  email_address: draft.emailAddress,
  email_key: fold(draft.emailAddress),
  user_principal_name: draft.userPrincipalName,
  active: draft.isActive ? 1 : 0,
})

async function setOrganizations(
  transaction: Transaction<ControlTables>,
  personId: string,
  organizationIds: readonly string[],
): Promise<void> {
  const known = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', organizationIds)
    .execute()
  const unknown = organizationIds.find((id) => !known.some((organization) => organization.id === id))
  if (unknown !== undefined) throw unknownMembership(unknown)
  await transaction.deleteFrom('person_organizations').where('person_id', '=', personId).execute()
  await transaction
    .insertInto('person_organizations')
    .values(organizationIds.map((id, position) => ({ person_id: personId, organization_id: id, position })))
    .execute()
}
