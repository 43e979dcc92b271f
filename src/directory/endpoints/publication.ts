/**
 * Changes what callers reach: publishes drafts, switches endpoints on and off, and removes them. Each such change raises the
 * revision of `endpoints` in the same transaction.
 */
import type { Kysely } from 'kysely'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { followActivation, followPublication } from '../schedules/follow-endpoint.ts'
import { whyUnusable } from '../secrets/usable-secret.ts'
import { changeEndpoint, refuseOtherRevision } from './change.ts'
import { noteTooLong, nothingPublished, nothingToPublish, signingSecretMissing } from './problems.ts'
import { raiseRevision } from './revisions.ts'
import { readModules, readStored, type StoredEndpoint } from './rows.ts'
import { audited, definitionOf, routeOf } from './text.ts'
import { refusePublishedRoute } from './uniqueness.ts'

const LONGEST_NOTE = 500

type Publication = {
  readonly by: string
  readonly note: string | null
  /** Revision of the draft. */
  readonly revision: number | undefined
  readonly modules: readonly PublishedModule[]
}

export const publishDraft = (
  db: Kysely<ControlTables>,
  id: string,
  { by, note, revision, modules }: Publication,
): Promise<Endpoint> =>
  changeEndpoint(db, id, async (transaction, stored) => {
    refuseLongNote(note)
    refuseOtherRevision(stored, revision)
    const { version: previous } = stored
    const kept = modules.length === 0 ? null : modulesText(modules)
    if (previous !== null && stored.has_unpublished_changes === 0) {
      const before = await readModules(transaction, id, previous)
      if (kept === (before.length === 0 ? null : modulesText(before)))
        throw nothingToPublish(stored.name, previous)
    }
    await refuseMissingSecret(transaction, definitionOf(stored.draft))
    const at = new Date().toISOString()
    const version = (previous ?? 0) + 1
    await transaction
      .insertInto('endpoint_versions')
      .values({
        endpoint_id: id,
        version,
        definition: stored.draft,
        published_at: at,
        published_by: by,
        note,
        modules: kept,
      })
      .execute()
    const active = previous === null || stored.active === 1
    await takeRoute(transaction, stored, version, active)
    const { schedules } = definitionOf(stored.draft)
    await followPublication(transaction, { id, version, active, schedules }, at)
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'endpoint.publish',
      subjectId: id,
      before: { version: previous, ...(previous === null && { active: false }) },
      after: {
        version,
        ...(previous === null && { active: true }),
        ...(note !== null && { note }),
        ...(kept !== null && { modules: modules.map(shown) }),
      },
    })
    if (active) await raiseRevision(transaction, 'endpoints')
  })

/** In the transaction, so that the secret is not deleted between the check and the publication. */
async function refuseMissingSecret(
  transaction: Kysely<ControlTables>,
  { name, signature }: EndpointDefinition,
): Promise<void> {
  if (signature === null) return
  const secret = await transaction
    .selectFrom('secrets')
    .select(['active', 'expires_at'])
    .where('name_key', '=', fold(signature.secret))
    .executeTakeFirst()
  const why = whyUnusable(secret && { isActive: secret.active !== 0, expiresAt: secret.expires_at })
  if (why !== null) throw signingSecretMissing(name, signature.secret, why)
}

/** The check names the endpoint that has the route; the unique index keeps the route from a second one. */
async function takeRoute(
  transaction: Kysely<ControlTables>,
  { id, draft }: StoredEndpoint,
  version: number,
  active: boolean,
): Promise<void> {
  const route = routeOf(definitionOf(draft))
  if (route !== null) await refusePublishedRoute(transaction, id, route)
  const { method = null, pathKey = null } = route ?? {}
  await transaction
    .updateTable('endpoints')
    .set({ version, method, path_key: pathKey, active: active ? 1 : 0 })
    .where('id', '=', id)
    .execute()
}

export const switchActive = (
  db: Kysely<ControlTables>,
  id: string,
  active: boolean,
  by: string,
): Promise<Endpoint> =>
  changeEndpoint(db, id, async (transaction, stored) => {
    if (active && stored.version === null) throw nothingPublished(stored.name)
    if (active === (stored.active === 1)) return
    const at = new Date().toISOString()
    await transaction
      .updateTable('endpoints')
      .set({ active: active ? 1 : 0 })
      .where('id', '=', id)
      .execute()
    await followActivation(transaction, id, active, at)
    await recordChange(transaction, {
      at,
      actor: by,
      action: active ? 'endpoint.activate' : 'endpoint.deactivate',
      subjectId: id,
      before: { active: !active },
      after: { active },
    })
    await raiseRevision(transaction, 'endpoints')
  })

export const removeEndpoint = (db: Kysely<ControlTables>, id: string, by: string): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    const { draft, version, active } = await readStored(transaction, id)
    // The foreign key removes its versions too.
    await transaction.deleteFrom('endpoints').where('id', '=', id).execute()
    await transaction.deleteFrom('script_state').where('owner_id', '=', id).execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'endpoint.delete',
      subjectId: id,
      before: { ...audited(definitionOf(draft)), version, active: active === 1 },
      after: null,
    })
    if (active === 1) await raiseRevision(transaction, 'endpoints')
  })

/** By name, so that the same modules have the same text. */
const modulesText = (modules: readonly PublishedModule[]): string =>
  JSON.stringify(
    modules
      .map(({ name, version, script }) => ({ name, version, script }))
      .toSorted((a, b) => (shown(a) < shown(b) ? -1 : 1)),
  )

const shown = ({ name, version }: PublishedModule): string => `${name}@${version}`

function refuseLongNote(note: string | null): void {
  const length = note === null ? 0 : codePointLength(note)
  if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
}
