/** Writes many rows with few statements. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ControlTables } from '../control-tables.ts'
import { facetTables } from '../people/facet-tables.ts'
import type { Resource } from './directory-file.ts'
import type { FacetChange, ImportState } from './import-state.ts'

/** Both databases allow more than 30,000 values in one statement. */
const ROWS_PER_STATEMENT = 500

export async function inChunks<Row>(
  rows: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await write(rows.slice(at, at + ROWS_PER_STATEMENT))
}

export type Entry = {
  readonly action: string
  readonly subjectId: string
  readonly before: unknown
  readonly after: unknown
}

export const recordAll = ({ transaction, by, at }: ImportState, entries: readonly Entry[]): Promise<void> =>
  inChunks(entries, (chunk) =>
    transaction
      .insertInto('audit')
      .values(
        chunk.map(({ action, subjectId, before, after }) => ({
          id: crypto.randomUUID(),
          at,
          actor: by,
          action,
          subject_id: subjectId,
          before: before === null ? null : JSON.stringify(before),
          after: JSON.stringify(after),
        })),
      )
      .execute(),
  )

export type OwnedChange = { readonly ownerId: string; readonly change: FacetChange }

export async function writeFacets(
  state: ImportState,
  type: Resource,
  changes: readonly OwnedChange[],
): Promise<void> {
  const { transaction } = state
  for (const { ownerId, change } of changes)
    if (change.before.length > 0) await removeFacet(transaction, type, ownerId, change.definitionId)
  const { table, owner } = facetTables[type]
  const kept = changes.filter(({ change }) => change.after.length > 0)
  await inChunks(kept, (chunk) => {
    const rows = chunk.map(
      ({ ownerId, change }) => sql`(${ownerId}, ${change.definitionId}, ${JSON.stringify(change.after)})`,
    )
    return sql`
      insert into ${sql.table(table)} (${sql.ref(owner)}, definition_id, chosen)
      values ${sql.join(rows)}`.execute(transaction)
  })
  await recordAll(
    state,
    changes.map(({ ownerId, change: { name: facet, before, after } }) => ({
      action: type === 'Organization' ? 'organization.facet-set' : 'person.facet-set',
      subjectId: ownerId,
      before: { facet, values: before },
      after: { facet, values: after },
    })),
  )
}

const removeFacet = (
  transaction: Transaction<ControlTables> | Kysely<ControlTables>,
  type: Resource,
  ownerId: string,
  definitionId: string,
) => {
  const { table, owner } = facetTables[type]
  return sql`delete from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId} and definition_id = ${definitionId}`.execute(
    transaction,
  )
}
