/**
 * Refuses a name or a route that another endpoint has. Checked within the transaction of the change, which has the write
 * lock, so that a free name or route stays free until the change is made.
 */
import type { Kysely } from 'kysely'
import { fold } from '../../kernel/text.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import type { Expressions } from '../database.ts'
import { nameTaken, routeTaken } from './problems.ts'
import { pathKeyOf, type Route, routeOf } from './text.ts'

export async function refuseTakenName(
  db: Kysely<ControlTables>,
  id: string,
  { name }: EndpointDefinition,
): Promise<void> {
  const holder = await others(db, id).where('name_key', '=', fold(name)).executeTakeFirst()
  if (holder !== undefined) throw nameTaken(name, holder)
}

/**
 * The drafts of other endpoints count like their published versions: so no publication fails for a route that was free when
 * its draft was saved.
 */
export async function refuseTakenRoute(
  db: Kysely<ControlTables>,
  { textMember }: Expressions,
  id: string,
  definition: EndpointDefinition,
): Promise<void> {
  const route = routeOf(definition)
  if (route === null) return
  await refusePublishedRoute(db, id, route)
  const { method, path, pathKey } = route
  // The database extracts the path, so that the script in the draft is not read.
  const drafts = await others(db, id)
    .select(textMember('draft', 'path').as('draft_path'))
    .where(textMember('draft', 'method'), '=', method)
    .execute()
  const holder = drafts.find(({ draft_path }) => pathKeyOf(draft_path) === pathKey)
  if (holder !== undefined) throw routeTaken(`${method} ${path}`, { ...holder, part: 'draft' })
}

/** Reads only an index, while {@link refuseTakenRoute} reads the drafts one by one. */
export async function refusePublishedRoute(
  db: Kysely<ControlTables>,
  id: string,
  { method, path, pathKey }: Route,
): Promise<void> {
  const holders = others(db, id).where('method', '=', method).where('path_key', '=', pathKey)
  const holder = await holders.executeTakeFirst()
  if (holder !== undefined) throw routeTaken(`${method} ${path}`, { ...holder, part: 'published version' })
}

const others = (db: Kysely<ControlTables>, id: string) =>
  db.selectFrom('endpoints').select(['id', 'name']).where('id', '<>', id)
