/** Names the tables of facets for each kind of owner, and reads the values of many owners at once. */
import { type Kysely, sql } from 'kysely'
import type { FacetInstance } from '../../schema/directory-shapes.ts'
import type { ControlTables } from '../control-tables.ts'

export const facetTables = {
  Organization: { table: 'organization_facets', owner: 'organization_id', owners: 'organizations' },
  Person: { table: 'person_facets', owner: 'person_id', owners: 'persons' },
} as const

type FacetRow = { readonly owner_id: string; readonly definition_id: string; readonly chosen: string }

/** The most ids in one statement; for more, all rows are read. */
export const MOST_LISTED_IDS = 500

/** Values of active definitions, by category and name. An owner without values has no entry. */
export async function facetsByOwner(
  db: Kysely<ControlTables>,
  type: keyof typeof facetTables,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, FacetInstance[]>> {
  const byOwner = new Map<string, FacetInstance[]>()
  if (ownerIds.length === 0) return byOwner
  const { table, owner } = facetTables[type]
  const ofThese =
    ownerIds.length > MOST_LISTED_IDS ? sql`` : sql`and f.${sql.ref(owner)} in (${sql.join(ownerIds)})`
  const { rows } = await sql<FacetRow>`
    select f.${sql.ref(owner)} as owner_id, f.definition_id, f.chosen
    from ${sql.table(table)} as f join facet_definitions as d on d.id = f.definition_id
    where d.active = 1 ${ofThese}
    order by d.category, d.name_key, d.id`.execute(db)
  for (const { owner_id, definition_id, chosen } of rows) {
    const instance = { facetDefinitionId: definition_id, values: JSON.parse(chosen) as string[] }
    const known = byOwner.get(owner_id)
    if (known === undefined) byOwner.set(owner_id, [instance])
    else known.push(instance)
  }
  return byOwner
}
