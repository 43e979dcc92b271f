/**
 * Lists the trail of changes in pages, newest first. The position of a page is the change that ends it, so that new changes
 * shift nothing. Refuses unknown positions and malformed moments.
 */
import { sql } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { AuditRecord } from '../../schema/directory-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import type { Database } from '../database.ts'
import { badAuditMoment, badAuditPlace } from './problems.ts'

export type AuditFilter = {
  readonly actor?: string | undefined
  /** The beginning of the action: `endpoint.` finds all changes of endpoints. */
  readonly action?: string | undefined
  readonly subjectId?: string | undefined
  /** A part of the actor, the action, the id or the changed members; letter case counts. */
  readonly text?: string | undefined
  /** Dates or date-times: from inclusive, to exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: string | undefined
}

export type AuditPage = {
  readonly items: readonly AuditRecord[]
  /** Pass it as `after` to get the next page; null on the last one. */
  readonly next: string | null
  /** How many changes all pages have together. */
  readonly total: number
}

const SEARCHED = ['actor', 'action', 'subject_id', 'before', 'after'] as const

type AuditDatabase = Pick<Database<ControlTables>, 'queries' | 'expressions'>

export async function listAudit(database: AuditDatabase, filter: AuditFilter): Promise<AuditPage> {
  const { orderOfWriting, contains } = database.expressions
  const { actor, action, subjectId, text = '', from, to, limit, after } = filter
  let query = database.queries.selectFrom('audit')
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where(beginningOfAction(action), '=', action)
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId)
  if (from !== undefined) query = query.where('at', '>=', momentOf(from))
  if (to !== undefined) query = query.where('at', '<', momentOf(to))
  if (text !== '') query = query.where((is) => is.or(SEARCHED.map((column) => contains(column, text))))
  const counted = query.select((of) => of.fn.countAll<number>().as('total'))
  const { total } = await counted.executeTakeFirstOrThrow()
  if (after !== undefined) {
    const { at, written } = await placeOf(database, after)
    query = query.where((is) =>
      is.or([is('at', '<', at), is.and([is('at', '=', at), is(orderOfWriting, '<', written)])]),
    )
  }
  const rows = await query
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy(orderOfWriting, 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map(auditRecordOf)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? last.id : null, total: Number(total) }
}

export const auditRecordOf = (row: ControlTables['audit']): AuditRecord => ({
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
  { queries, expressions }: AuditDatabase,
  id: string,
): Promise<{ readonly at: string; readonly written: number }> {
  const change = queries
    .selectFrom('audit')
    .select(['at', expressions.orderOfWriting.as('written')])
    .where('id', '=', id)
  const place = await change.executeTakeFirst()
  if (place === undefined) throw badAuditPlace(id)
  return place
}
