/**
 * The operations on endpoints: an endpoint has a draft that changes, versions that do not, and a switch. Each change is one
 * durable transaction together with its audit entry; a change that callers notice raises the revision of `endpoints`, which
 * tells every thread.
 */
import type { Kysely } from 'kysely'
import { closest } from '../../kernel/closest.ts'
import { fold } from '../../kernel/text.ts'
import type {
  Endpoint,
  EndpointCategory,
  EndpointDefinition,
  EndpointMethod,
  PublishedVersion,
} from '../../schema/endpoint-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import type { Database } from '../database.ts'
import { createEndpoint, restoreVersion, saveDraft } from './endpoint-drafts.ts'
import { ambiguousEndpoint, unknownEndpoint } from './problems.ts'
import { publishDraft, removeEndpoint, switchActive } from './publication.ts'
import { readEndpoint, readEndpoints, readVersion, readVersions } from './rows.ts'

/**
 * `active`: callers reach it. `inactive`: published, but switched off. `draft`: never published. `changed`: published, active
 * or not, with a draft that differs.
 */
export type EndpointState = 'active' | 'inactive' | 'draft' | 'changed'

export type EndpointFilter = {
  readonly category?: EndpointCategory | undefined
  /** Within name, description or path, without regard to case. */
  readonly text?: string | undefined
  readonly state?: EndpointState | undefined
  readonly method?: EndpointMethod | undefined
}

/** `by` is the actor of the audit entry. Definitions must match their schema; this refuses only conflicts with stored rows. */
export type Endpoints = {
  /**
   * The new endpoint is inactive and unpublished. Like every change of a draft, this refuses a name or a route that the draft
   * or the published version of another endpoint has.
   */
  readonly create: (definition: EndpointDefinition, by: string) => Promise<Endpoint>
  /** By name. Filters other than `state` look at the draft. */
  readonly list: (filter?: EndpointFilter) => Promise<readonly Endpoint[]>
  /** By full id, an unambiguous beginning of it, or by name without regard to case. */
  readonly find: (reference: string) => Promise<Endpoint>
  /**
   * Saving an equal draft changes nothing and leaves no audit entry.
   *
   * @param revision of the draft when it was read: refused if it has changed since; undefined overwrites any
   */
  readonly saveDraft: (
    id: string,
    definition: EndpointDefinition,
    by: string,
    revision?: number,
  ) => Promise<Endpoint>
  /**
   * The draft becomes the next version, which answers from the next request. The first publication also activates; later
   * ones leave the switch as it is. A draft that equals the published version is refused.
   *
   * @param revision of the draft when it was checked: refused if it has changed since; undefined publishes any
   */
  readonly publish: (id: string, by: string, note?: string | null, revision?: number) => Promise<Endpoint>
  /** An inactive endpoint keeps its route, so that activating it cannot fail; one that was never published is refused. */
  readonly setActive: (id: string, active: boolean, by: string) => Promise<Endpoint>
  /** Newest first. */
  readonly versions: (id: string) => Promise<readonly PublishedVersion[]>
  readonly version: (id: string, version: number) => Promise<PublishedVersion>
  /** A kept version becomes the draft; if the draft equals it, nothing changes. */
  readonly restore: (id: string, version: number, by: string) => Promise<Endpoint>
  /** Removes all its versions too; the history of its runs stays. */
  readonly remove: (id: string, by: string) => Promise<void>
}

export function createEndpoints(
  database: Pick<Database<ControlTables>, 'queries' | 'expressions'>,
): Endpoints {
  const { queries } = database
  return {
    create: (definition, by) => createEndpoint(database, definition, by),
    list: async (filter = {}) =>
      (await readEndpoints(queries)).filter((endpoint) => matches(endpoint, filter)),
    find: (reference) => find(queries, reference),
    saveDraft: (id, definition, by, revision) => saveDraft(database, id, definition, by, revision),
    publish: (id, by, note = null, revision) => publishDraft(queries, id, { by, note, revision }),
    setActive: (id, active, by) => switchActive(queries, id, active, by),
    versions: (id) => readVersions(queries, id),
    version: (id, version) => readVersion(queries, id, version),
    restore: (id, version, by) => restoreVersion(database, id, version, by),
    remove: (id, by) => removeEndpoint(queries, id, by),
  }
}

function matches(endpoint: Endpoint, { category, text, state, method }: EndpointFilter): boolean {
  const { draft } = endpoint
  return (
    (category === undefined || draft.category === category) &&
    (method === undefined || draft.method === method) &&
    (state === undefined || isIn[state](endpoint)) &&
    (text === undefined ||
      [draft.name, draft.description, draft.path ?? ''].some((part) => fold(part).includes(fold(text))))
  )
}

const isIn: { readonly [State in EndpointState]: (endpoint: Endpoint) => boolean } = {
  active: ({ active }) => active,
  inactive: ({ active, published }) => published !== null && !active,
  draft: ({ published }) => published === null,
  changed: ({ published, hasUnpublishedChanges }) => published !== null && hasUnpublishedChanges,
}

/** The beginning of a UUID that is long enough to search for; `like` needs no escaping in these characters. */
const ID_PREFIX = /^[0-9a-f][0-9a-f-]{3,35}$/

async function find(db: Kysely<ControlTables>, reference: string): Promise<Endpoint> {
  const id = reference.toLowerCase()
  const endpoints = db.selectFrom('endpoints').select(['id', 'name'])
  const rows = await endpoints
    .where((is) => {
      const named = is('name_key', '=', fold(reference))
      return ID_PREFIX.test(id) ? is.or([named, is('id', 'like', `${id}%`)]) : named
    })
    .orderBy('id')
    .execute()
  const match = rows.find((row) => row.id === id) ?? rows[0]
  if (match === undefined) {
    const names = (await endpoints.execute()).map(({ name }) => name)
    throw unknownEndpoint(reference, closest(reference, names))
  }
  if (rows.length > 1 && match.id !== id) throw ambiguousEndpoint(reference, rows)
  return readEndpoint(db, match.id)
}
