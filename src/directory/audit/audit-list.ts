/**
 * The trail of changes as pages, newest first. Where a page ends is told by the change it ends with, so that changes which
 * come in meanwhile move nothing. Refuses a place that is none, and moments that are none.
 */
import { type Kysely, sql } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { AuditRecord } from '../../schema/directory-shapes.ts'
import type { ControlDatabase } from '../sqlite/control-database.ts'
import { badAuditMoment, badAuditPlace } from './problems.ts'

export type AuditFilter = {
  readonly actor?: string | undefined
  /** Its beginning: `endpoint.` finds what was done to endpoints. */
  readonly action?: string | undefined
  readonly subjectId?: string | undefined
  /** Dates or date-times: from inclusive, to exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: string | undefined
}

export type AuditPage = {
  readonly items: readonly AuditRecord[]
  /** Give it to get the next page; null on the last one. */
  readonly next: string | null
}

export async function listAudit(db: Kysely<ControlDatabase>, filter: AuditFilter): Promise<AuditPage> {
  const { actor, action, subjectId, from, to, limit, after } = filter
  let query = db.selectFrom('audit').selectAll().orderBy('at', 'desc').orderBy(inOrderOfWriting, 'desc')
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where(beginningOfAction(action), '=', action)
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId)
  if (from !== undefined) query = query.where('at', '>=', momentOf(from))
  if (to !== undefined) query = query.where('at', '<', momentOf(to))
  if (after !== undefined) {
    const { at, written } = await placeOf(db, after)
    query = query.where((is) =>
      is.or([is('at', '<', at), is.and([is('at', '=', at), is(inOrderOfWriting, '<', written)])]),
    )
  }
  const rows = await query.limit(limit + 1).execute()
  const items = rows.slice(0, limit).map(auditRecordOf)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? last.id : null }
}

/** Changes of one millisecond differ by it. SQLite's own number of a row, which grows because no row is ever removed. */
export const inOrderOfWriting = sql<number>`rowid`

export const auditRecordOf = (row: ControlDatabase['audit']): AuditRecord => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  action: row.action,
  subjectId: row.subject_id,
  before: row.before === null ? null : JSON.parse(row.before),
  after: row.after === null ? null : JSON.parse(row.after),
})

const beginningOfAction = (action: string) => sql<string>`substr(action, 1, ${codePointLength(action)})`

function momentOf(text: string): string {
  const instant = parseInstant(text)
  if (instant === undefined) throw badAuditMoment(text)
  return new Date(instant).toISOString()
}

async function placeOf(
  db: Kysely<ControlDatabase>,
  id: string,
): Promise<{ readonly at: string; readonly written: number }> {
  const change = db
    .selectFrom('audit')
    .select(['at', inOrderOfWriting.as('written')])
    .where('id', '=', id)
  const place = await change.executeTakeFirst()
  if (place === undefined) throw badAuditPlace(id)
  return place
}
