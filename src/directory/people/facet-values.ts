/**
 * Sets the values of a facet of an organization or a person. The definition says which are possible: those of its list or any
 * text, one or several. Refuses unknown owners and definitions, and values that are not possible.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { closest } from '../../kernel/closest.ts'
import { codePointLength, fold, hasControlCharacter } from '../../kernel/text.ts'
import type { FacetDefinition, FacetInstance } from '../../schema/directory-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { definitionById } from './facet-definitions.ts'
import { facetTables } from './facet-tables.ts'
import {
  badFacetValue,
  facetIsInactive,
  facetOfOtherType,
  facetTakesOneValue,
  facetValueNotListed,
  unknownFacetDefinition,
  unknownOrganization,
  unknownPerson,
} from './problems.ts'

/** The id in lower case. */
type Owner = { readonly owner: keyof typeof facetTables; readonly ownerId: string }

const MOST_VALUES = 1000
const LONGEST_VALUE = 1000

/** Setting the present values again changes nothing and leaves no audit entry. */
export function setFacetValues(
  db: Kysely<ControlTables>,
  of: Owner,
  definitionId: string,
  values: readonly string[],
  by: string,
): Promise<FacetInstance> {
  return db.transaction().execute(async (transaction) => {
    const definition = await definitionById(transaction, definitionId)
    if (definition === null) throw unknownFacetDefinition(definitionId)
    if (definition.resourceType !== of.owner) {
      throw facetOfOtherType(definition.name, of.owner, definition.resourceType)
    }
    if (!definition.isActive) throw facetIsInactive(definition.name)
    await refuseUnknownOwner(transaction, of)
    const possible = possibleValues(definition, values)
    await write(transaction, of, definition, possible, by)
    return { facetDefinitionId: definitionId, values: [...possible] }
  })
}

/** @throws Problem DIR434 to DIR436 */
export function possibleValues(definition: FacetDefinition, values: readonly string[]): readonly string[] {
  const { name, allowFreeText, allowMultipleValues } = definition
  const listed = new Map(definition.values.map((value) => [fold(value), value]))
  const possible = new Map<string, string>()
  for (const value of values) {
    const text = value.trim()
    const length = codePointLength(text)
    if (length < 1 || length > LONGEST_VALUE) {
      throw badFacetValue(name, `values of 1 to ${LONGEST_VALUE} characters`, `one of ${length}`)
    }
    if (hasControlCharacter(text.replaceAll(/[\t\r\n]/g, ' ')) || !text.isWellFormed()) {
      throw badFacetValue(name, 'values of well-formed Unicode without control characters', 'another one')
    }
    const key = fold(text)
    const choice = listed.get(key)
    if (choice === undefined && !allowFreeText) {
      throw facetValueNotListed(name, text, closest(text, definition.values))
    }
    if (!possible.has(key)) possible.set(key, choice ?? text)
  }
  if (possible.size > 1 && !allowMultipleValues) throw facetTakesOneValue(name, possible.size)
  if (possible.size > MOST_VALUES) {
    throw badFacetValue(name, `${MOST_VALUES} values at most`, String(possible.size))
  }
  return [...possible.values()]
}

async function refuseUnknownOwner(
  transaction: Transaction<ControlTables>,
  { owner, ownerId }: Owner,
): Promise<void> {
  const owners = transaction.selectFrom(facetTables[owner].owners).select('id')
  if ((await owners.where('id', '=', ownerId).executeTakeFirst()) !== undefined) return
  throw owner === 'Organization' ? unknownOrganization(ownerId) : unknownPerson(ownerId)
}

async function write(
  transaction: Transaction<ControlTables>,
  { owner, ownerId }: Owner,
  { id: definitionId, name }: FacetDefinition,
  values: readonly string[],
  by: string,
): Promise<void> {
  const { table, owner: ownerColumn, owners } = facetTables[owner]
  const [into, column] = [sql.table(table), sql.ref(ownerColumn)]
  const { rows } = await sql<{ readonly chosen: string }>`
    select chosen from ${into} where ${column} = ${ownerId} and definition_id = ${definitionId}`.execute(
    transaction,
  )
  const before = rows[0]?.chosen ?? '[]'
  const after = JSON.stringify(values)
  if (before === after) return
  await sql`delete from ${into} where ${column} = ${ownerId} and definition_id = ${definitionId}`.execute(
    transaction,
  )
  if (values.length > 0) {
    await sql`
      insert into ${into} (${column}, definition_id, chosen)
      values (${ownerId}, ${definitionId}, ${after})`.execute(transaction)
  }
  const at = new Date().toISOString()
  await transaction.updateTable(owners).set({ updated_at: at }).where('id', '=', ownerId).execute()
  await recordChange(transaction, {
    at,
    actor: by,
    action: owner === 'Organization' ? 'organization.facet-set' : 'person.facet-set',
    subjectId: ownerId,
    before: { facet: name, values: JSON.parse(before) },
    after: { facet: name, values },
  })
}
