/** For the tests of endpoints: the control store of a folder as far as endpoints go, with its trail of changes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { AuditEntry } from '../audit/audit.ts'
import { createEndpoints, type Endpoints } from '../endpoints/endpoints.ts'
import { openPublishedEndpoints, type PublishedEndpoints } from '../endpoints/published-endpoints.ts'
import type { ControlDatabase } from '../sqlite/control-database.ts'
import type { Freshness } from '../sqlite/data-version.ts'
import { migrateToLatest } from '../sqlite/migrations.ts'
import { nodeSqliteDialect } from '../sqlite/node-sqlite-dialect.ts'
import { connect, prepareFile } from '../sqlite/sqlite-file.ts'

export const BY = 'operator:test'

export type EndpointStore = {
  readonly endpoints: Endpoints & Pick<PublishedEndpoints, 'current'>
  /** Oldest first. */
  readonly history: (id: string) => Promise<readonly AuditEntry[]>
  readonly close: () => Promise<void>
}

export async function openEndpointStore(
  path: string,
  { freshness = 'call' }: { readonly freshness?: Freshness } = {},
): Promise<EndpointStore> {
  prepareFile(path, { create: true })
  const database = await connect(path, { durability: 'full', timeout: 0 })
  const db = new Kysely<ControlDatabase>({ dialect: nodeSqliteDialect(database, path) })
  await migrateToLatest(db, path)
  const published = await openPublishedEndpoints(path, db, freshness)
  return {
    endpoints: { ...createEndpoints(db), current: published.current },
    history: (id) => historyOf(db, id),
    close: async () => {
      published.close()
      await db.destroy()
    },
  }
}

/** In the order of writing, which moments of one millisecond do not tell. */
async function historyOf(db: Kysely<ControlDatabase>, id: string): Promise<readonly AuditEntry[]> {
  const audit = db.selectFrom('audit').selectAll().where('subject_id', '=', id)
  const rows = await audit.orderBy(sql`rowid`).execute()
  return rows.map(({ at, actor, action, subject_id, before, after }) => ({
    at,
    actor,
    action,
    subjectId: subject_id,
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }))
}

/** A file in a folder of its own. */
export function makeStoreFile(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-endpoints-'))
  return { path: join(folder, 'control.db'), remove: () => rmSync(folder, { recursive: true }) }
}

let made = 0
/** With a name and a path of its own unless given. */
export const definition = (members: Partial<EndpointDefinition> = {}): EndpointDefinition => {
  made++
  return {
    name: `Endpoint ${made}`,
    description: '',
    category: 'Utility',
    method: 'GET',
    path: `made/${made}`,
    requiresAuthentication: true,
    allowedRoles: [],
    limits: {},
    signature: null,
    deduplication: null,
    script: 'Data._payload = 1',
    ...members,
  }
}
