/** Definitions of facets: their names are unique per resource type, and a definition in use keeps its resource type. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ProblemDetail } from '../../kernel/problem.ts'
import { fold } from '../../kernel/text.ts'
import type { FacetDefinition, FacetDefinitionDraft } from '../../schema/directory-shapes.ts'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables, FacetDefinitionRow } from '../control-tables.ts'
import { checkDraft } from '../endpoints/drafts.ts'
import { facetTables } from './facet-tables.ts'
import { badPeopleDraft, facetIsInUse, facetNameTaken, unknownFacetDefinition } from './problems.ts'

/** By category and name. */
export async function listDefinitions(
  db: Kysely<ControlTables>,
  resourceType: string | undefined,
): Promise<readonly FacetDefinition[]> {
  const all = db.selectFrom('facet_definitions').selectAll()
  const these = resourceType === undefined ? all : all.where('resource_type', '=', resourceType)
  const rows = await these.orderBy('category').orderBy('name_key').orderBy('resource_type').execute()
  return rows.map(definitionOf)
}

export async function definitionById(db: Kysely<ControlTables>, id: string): Promise<FacetDefinition | null> {
  const row = await rowById(db, id)
  return row === undefined ? null : definitionOf(row)
}

export async function definitionByName(
  db: Kysely<ControlTables>,
  name: string,
): Promise<FacetDefinition | null> {
  const named = db.selectFrom('facet_definitions').selectAll().where('name_key', '=', fold(name.trim()))
  // 'Organization' comes before 'Person'.
  const row = await named.orderBy('resource_type').executeTakeFirst()
  return row === undefined ? null : definitionOf(row)
}

export async function createDefinition(
  db: Kysely<ControlTables>,
  draft: FacetDefinitionDraft,
  by: string,
): Promise<FacetDefinition> {
  const checked = await check(draft)
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  return db.transaction().execute(async (transaction) => {
    await refuseTakenName(transaction, id, checked)
    const row = { id, ...columnsOf(checked), created_at: at, updated_at: at }
    await transaction.insertInto('facet_definitions').values(row).execute()
    const entry = { at, actor: by, action: 'facet-definition.create', subjectId: id }
    await recordChange(transaction, { ...entry, before: null, after: checked })
    return definitionOf(row)
  })
}

/** An update that changes nothing leaves no audit entry. */
export async function updateDefinition(
  db: Kysely<ControlTables>,
  id: string,
  draft: FacetDefinitionDraft,
  by: string,
): Promise<FacetDefinition> {
  const checked = await check(draft)
  return db.transaction().execute(async (transaction) => {
    const before = await rowById(transaction, id)
    if (before === undefined) throw unknownFacetDefinition(id)
    await refuseTakenName(transaction, id, checked)
    if (before.resource_type !== checked.resourceType) await refuseInUse(transaction, before)
    const changed = changedMembers(draftOf(before), checked)
    if (changed === undefined) return definitionOf(before)
    const at = new Date().toISOString()
    const columns = { ...columnsOf(checked), updated_at: at }
    await transaction.updateTable('facet_definitions').set(columns).where('id', '=', id).execute()
    const entry = { at, actor: by, action: 'facet-definition.update', subjectId: id }
    await recordChange(transaction, { ...entry, ...changed })
    return definitionOf({ ...before, ...columns })
  })
}

export function removeDefinition(db: Kysely<ControlTables>, id: string, by: string): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const before = await rowById(transaction, id)
    if (before === undefined) throw unknownFacetDefinition(id)
    const values = await countValues(transaction, before)
    await transaction.deleteFrom('facet_definitions').where('id', '=', id).execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'facet-definition.delete',
      subjectId: id,
      before: { ...draftOf(before), instances: values },
      after: null,
    })
  })
}

const rowById = (db: Kysely<ControlTables>, id: string): Promise<FacetDefinitionRow | undefined> =>
  db.selectFrom('facet_definitions').selectAll().where('id', '=', id).executeTakeFirst()

async function check(draft: FacetDefinitionDraft): Promise<FacetDefinitionDraft> {
  const trimmed = { ...draft, values: draft.values.map((value) => value.trim()) }
  const checked = await checkDraft('FacetDefinitionDraft', trimmed, refuse)
  if (new Set(checked.values.map(fold)).size < checked.values.length) {
    throw refuse([{ path: '/values', message: 'must differ in more than case' }])
  }
  return checked
}

const refuse = (details: readonly ProblemDetail[]) => badPeopleDraft('facet definition', details)

async function refuseTakenName(
  transaction: Transaction<ControlTables>,
  id: string,
  { resourceType, name }: FacetDefinitionDraft,
): Promise<void> {
  const holder = await transaction
    .selectFrom('facet_definitions')
    .select(['id', 'name'])
    .where('resource_type', '=', resourceType)
    .where('name_key', '=', fold(name))
    .where('id', '<>', id)
    .executeTakeFirst()
  if (holder !== undefined) throw facetNameTaken(resourceType, holder)
}

async function refuseInUse(
  transaction: Transaction<ControlTables>,
  definition: FacetDefinitionRow,
): Promise<void> {
  const values = await countValues(transaction, definition)
  if (values > 0) throw facetIsInUse(definition.name, values)
}

async function countValues(
  transaction: Transaction<ControlTables>,
  { id, resource_type }: FacetDefinitionRow,
): Promise<number> {
  const { table } = facetTables[resource_type as keyof typeof facetTables]
  const { rows } = await sql<{ readonly count: number }>`
    select count(*) as count from ${sql.table(table)} where definition_id = ${id}`.execute(transaction)
  return rows[0]?.count ?? 0
}

const columnsOf = (draft: FacetDefinitionDraft) => ({
  resource_type: draft.resourceType,
  category: draft.category,
  name: draft.name,
  name_key: fold(draft.name),
  description: draft.description,
  data_sensitivity: draft.dataSensitivity,
  critical: draft.isCritical ? 1 : 0,
  allow_free_text: draft.allowFreeText ? 1 : 0,
  allow_multiple: draft.allowMultipleValues ? 1 : 0,
  choices: JSON.stringify(draft.values),
  active: draft.isActive ? 1 : 0,
})

const definitionOf = (row: FacetDefinitionRow): FacetDefinition => ({
  id: row.id,
  ...draftOf(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const draftOf = (row: FacetDefinitionRow): FacetDefinitionDraft => ({
  resourceType: row.resource_type as FacetDefinition['resourceType'],
  category: row.category,
  name: row.name,
  description: row.description,
  dataSensitivity: row.data_sensitivity as FacetDefinition['dataSensitivity'],
  isCritical: row.critical === 1,
  allowFreeText: row.allow_free_text === 1,
  allowMultipleValues: row.allow_multiple === 1,
  values: JSON.parse(row.choices),
  isActive: row.active === 1,
})
