/** The trail of changes: who changed what and when. Written in the transaction of the change itself, never altered. */
import type { Kysely } from 'kysely'
import type { ControlDatabase } from './control-database.ts'

export type AuditEntry = {
  readonly at: string
  /** `operator:<user>` or `account:<id>`. */
  readonly actor: string
  /** `account.create`, `account.rotate`, `account.psk-issue`, ... */
  readonly action: string
  readonly subjectId: string
  /** The changed members only, without secrets; `null` where there is nothing to tell. */
  readonly before: unknown
  readonly after: unknown
}

export async function recordChange(db: Kysely<ControlDatabase>, entry: AuditEntry): Promise<void> {
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

/** The changes of one subject, oldest first. */
export async function changesOf(
  db: Kysely<ControlDatabase>,
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
