/** The trail of changes: who changed what and when. Written in the transaction of the change itself, never altered. */
import type { Kysely } from 'kysely'
import type { ControlTables } from '../control-tables.ts'

export type AuditEntry = {
  readonly at: string
  /** `operator:<user>`, `account:<id>` or `service:<part>`. */
  readonly actor: string
  /** `account.create`, `account.rotate`, `account.psk-issue`, ... */
  readonly action: string
  readonly subjectId: string
  /** The changed members only, without secrets; `null` when there are none. */
  readonly before: unknown
  readonly after: unknown
}

export async function recordChange(db: Kysely<ControlTables>, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      id: crypto.randomUUID(),
      at: entry.at,
      actor: entry.actor,
      action: entry.action,
      subject_id: entry.subjectId,
      before: entry.before === null ? null : JSON.stringify(entry.before),
      after: entry.after === null ? null : JSON.stringify(entry.after),
    })
    .execute()
}

/** An action that changes nothing in the store itself. */
export type Deed = Pick<AuditEntry, 'actor' | 'action' | 'subjectId' | 'after'>

export const recordDeed = (db: Kysely<ControlTables>, deed: Deed): Promise<void> =>
  recordChange(db, { ...deed, at: new Date().toISOString(), before: null })

/** The members that differ, in the form of an audit entry; undefined when there is nothing to record. */
export function changedMembers<Members extends object>(
  before: Members,
  after: Members,
): { readonly before: Partial<Members>; readonly after: Partial<Members> } | undefined {
  const names = Object.keys(after) as (keyof Members)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (changed.length === 0) return undefined
  const only = (members: Members) =>
    Object.fromEntries(changed.map((name) => [name, members[name]])) as Partial<Members>
  return { before: only(before), after: only(after) }
}

/** The changes of one subject, oldest first. */
export async function changesOf(
  db: Kysely<ControlTables>,
  subjectId: string,
): Promise<readonly AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('at')
    .execute()
  return rows.map((row) => ({
    at: row.at,
    actor: row.actor,
    action: row.action,
    subjectId: row.subject_id,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
  }))
}
