/**
 * Changes what callers reach: publishes drafts, switches endpoints on and off, and removes them. Each such change raises the
 * revision of `endpoints` in the same transaction.
 */
import type { Kysely } from 'kysely'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { Endpoint, EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { changeEndpoint, refuseOtherRevision } from './change.ts'
import { noteTooLong, nothingPublished, nothingToPublish, signingSecretMissing } from './problems.ts'
import { raiseRevision } from './revisions.ts'
import { readStored, type StoredEndpoint } from './rows.ts'
import { audited, definitionOf, pathKeyOf } from './text.ts'
import { refusePublishedRoute } from './uniqueness.ts'

const LONGEST_NOTE = 500

type Publication = {
  readonly by: string
  readonly note: string | null
  /** Revision of the draft. */
  readonly revision: number | undefined
}

export const publishDraft = (
  db: Kysely<ControlTables>,
  id: string,
  { by, note, revision }: Publication,
): Promise<Endpoint> =>
  changeEndpoint(db, id, async (transaction, stored) => {
    refuseLongNote(note)
    refuseOtherRevision(stored, revision)
    const { version: previous } = stored
    if (previous !== null && stored.has_unpublished_changes === 0) {
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
      })
      .execute()
    const active = previous === null || stored.active === 1
    await takeRoute(transaction, stored, version, active)
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'endpoint.publish',
      subjectId: id,
      before: { version: previous, ...(previous === null && { active: false }) },
      after: { version, ...(previous === null && { active: true }), ...(note !== null && { note }) },
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
  const missing = (found: 'unknown' | 'inactive' | 'expired') =>
    signingSecretMissing(name, signature.secret, found)
  if (secret === undefined) throw missing('unknown')
  if (secret.active === 0) throw missing('inactive')
  if (secret.expires_at !== null && secret.expires_at <= new Date().toISOString()) throw missing('expired')
}

/** The check names the endpoint that has the route; the unique index keeps the route from a second one. */
async function takeRoute(
  transaction: Kysely<ControlTables>,
  { id, draft }: StoredEndpoint,
  version: number,
  active: boolean,
): Promise<void> {
  const definition = definitionOf(draft)
  await refusePublishedRoute(transaction, id, definition)
  const { method, path } = definition
  await transaction
    .updateTable('endpoints')
    .set({ version, method, path_key: pathKeyOf(path), active: active ? 1 : 0 })
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
    await transaction
      .updateTable('endpoints')
      .set({ active: active ? 1 : 0 })
      .where('id', '=', id)
      .execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
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

function refuseLongNote(note: string | null): void {
  const length = note === null ? 0 : codePointLength(note)
  if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
}
