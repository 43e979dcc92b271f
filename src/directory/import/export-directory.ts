/** Writes all organizations and persons as a directory file, parents before their children, in pieces of some hundred rows. */
import type { Kysely } from 'kysely'
import { fold } from '../../kernel/text.ts'
import type { FacetDefinition, FacetInstance } from '../../schema/directory-shapes.ts'
import type { ControlTables, OrganizationRow } from '../control-tables.ts'
import { listDefinitions } from '../people/facet-definitions.ts'
import { facetsByOwner } from '../people/facet-tables.ts'
import { draftOf as organizationDraft } from '../people/organization-rows.ts'
import { membershipsOf, draftOf as personDraft } from '../people/person-rows.ts'
import { directoryLine, listCell } from './csv-text.ts'
import { type ColumnName, columnNames, facetColumn, type Resource } from './directory-file.ts'

const BATCH_ROWS = 500

type Members = Readonly<Partial<Record<ColumnName, string | boolean | null>>>
type WriteRow = (type: Resource, members: Members, facets: readonly FacetInstance[]) => string

export async function* exportDirectory(db: Kysely<ControlTables>): AsyncGenerator<string> {
  const definitions = (await listDefinitions(db, undefined)).filter(({ isActive }) => isActive)
  const byName = Map.groupBy(definitions, ({ name }) => fold(name))
  const facets = [...byName.values()]
  const titles = facets.map(([first]) => facetColumn((first as FacetDefinition).name))
  yield directoryLine([...columnNames, ...titles])
  const rowText: WriteRow = (type, members, instances) =>
    directoryLine([
      ...columnNames.map((name) => String(members[name] ?? '')),
      ...facets.map((named) => {
        const id = named.find(({ resourceType }) => resourceType === type)?.id
        return listCell(instances.find(({ facetDefinitionId }) => facetDefinitionId === id)?.values ?? [])
      }),
    ])
  yield* organizationTexts(db, rowText)
  yield* personTexts(db, rowText)
}

async function* organizationTexts(db: Kysely<ControlTables>, rowText: WriteRow): AsyncGenerator<string> {
  const all = await db.selectFrom('organizations').selectAll().orderBy('name_key').orderBy('id').execute()
  const children = Map.groupBy(all, ({ parent_id }) => parent_id)
  const ordered: OrganizationRow[] = [...(children.get(null) ?? [])]
  // The list grows while it is walked.
  for (const { id } of ordered) ordered.push(...(children.get(id) ?? []))
  for (let at = 0; at < ordered.length; at += BATCH_ROWS) {
    const rows = ordered.slice(at, at + BATCH_ROWS)
    const facets = await facetsByOwner(
      db,
      'Organization',
      rows.map(({ id }) => id),
    )
    yield rows
      .map((row) => {
        const { parentOrganizationId: parent, ...draft } = organizationDraft(row)
        const members = { resource: 'organization', id: row.id, parent, ...draft }
        return rowText('Organization', members, facets.get(row.id) ?? [])
      })
      .join('')
  }
}

async function* personTexts(db: Kysely<ControlTables>, rowText: WriteRow): AsyncGenerator<string> {
  const ordered = db.selectFrom('persons').selectAll().orderBy('id').limit(BATCH_ROWS)
  let after = ''
  for (;;) {
    const rows = await ordered.where('id', '>', after).execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const ids = rows.map(({ id }) => id)
    const memberships = await membershipsOf(db, ids)
    const facets = await facetsByOwner(db, 'Person', ids)
    yield rows
      .map((row) => {
        const { organizationIds, ...draft } = personDraft(row, memberships.get(row.id) ?? [])
        const members = { resource: 'person', id: row.id, ...draft, organizations: listCell(organizationIds) }
        return rowText('Person', members, facets.get(row.id) ?? [])
      })
      .join('')
  }
}
