/** Creates drafts of endpoints, saves them, and restores them from a kept version. Nothing here changes what callers reach. */
import type { Kysely } from 'kysely'
import { fold } from '../../kernel/text.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import type { Database, Expressions } from '../database.ts'
import { changeEndpoint, refuseOtherRevision } from './change.ts'
import { readEndpoint, readVersion, type StoredEndpoint } from './rows.ts'
import { audited, auditedChange, definitionOf, definitionText, routeOf } from './text.ts'
import { refuseTakenName, refuseTakenRoute } from './uniqueness.ts'

type EndpointDatabase = Pick<Database<ControlTables>, 'queries' | 'expressions'>

export function createEndpoint(
  { queries, expressions }: EndpointDatabase,
  definition: EndpointDefinition,
  by: string,
): Promise<Endpoint> {
  const id = crypto.randomUUID()
  return queries.transaction().execute(async (transaction) => {
    await refuseTakenName(transaction, id, definition)
    await refuseTakenRoute(transaction, expressions, id, definition)
    const at = new Date().toISOString()
    await transaction
      .insertInto('endpoints')
      .values({
        id,
        ...draftColumns(definition, at, by),
        draft_revision: 1,
        active: 0,
        version: null,
        method: null,
        path_key: null,
        created_at: at,
      })
      .execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'endpoint.create',
      subjectId: id,
      before: null,
      after: audited(definition),
    })
    return readEndpoint(transaction, id)
  })
}

export const saveDraft = (
  { queries, expressions }: EndpointDatabase,
  id: string,
  definition: EndpointDefinition,
  by: string,
  revision: number | undefined,
): Promise<Endpoint> =>
  changeEndpoint(queries, id, async (transaction, stored) => {
    refuseOtherRevision(stored, revision)
    await replaceDraft(transaction, expressions, stored, definition, {
      action: 'endpoint.draft',
      by,
      told: {},
    })
  })

export const restoreVersion = (
  { queries, expressions }: EndpointDatabase,
  id: string,
  version: number,
  by: string,
): Promise<Endpoint> =>
  changeEndpoint(queries, id, async (transaction, stored) => {
    const { definition } = await readVersion(transaction, id, version)
    const told = { restoredVersion: version }
    await replaceDraft(transaction, expressions, stored, definition, { action: 'endpoint.restore', by, told })
  })

type Recorded = { readonly action: string; readonly by: string; readonly told: object }

async function replaceDraft(
  transaction: Kysely<ControlTables>,
  expressions: Expressions,
  stored: StoredEndpoint,
  definition: EndpointDefinition,
  { action, by, told }: Recorded,
): Promise<void> {
  const draft = definitionText(definition)
  if (draft === stored.draft) return
  await refuseTakenName(transaction, stored.id, definition)
  if (!isSameRoute(definitionOf(stored.draft), definition)) {
    await refuseTakenRoute(transaction, expressions, stored.id, definition)
  }
  const at = new Date().toISOString()
  await transaction
    .updateTable('endpoints')
    .set({ ...draftColumns(definition, at, by), draft_revision: stored.draft_revision + 1 })
    .where('id', '=', stored.id)
    .execute()
  const { before, after } = auditedChange(stored.draft, draft)
  await recordChange(transaction, {
    at,
    actor: by,
    action,
    subjectId: stored.id,
    before,
    after: { ...after, ...told },
  })
}

const draftColumns = (definition: EndpointDefinition, at: string, by: string) => ({
  name: definition.name,
  name_key: fold(definition.name),
  draft: definitionText(definition),
  draft_changed_at: at,
  draft_changed_by: by,
})

/** Letter case and the names of parameters do not make another route. */
function isSameRoute(one: EndpointDefinition, other: EndpointDefinition): boolean {
  const [a, b] = [routeOf(one), routeOf(other)]
  return a?.method === b?.method && a?.pathKey === b?.pathKey
}
