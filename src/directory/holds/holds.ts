/**
 * What operators hold for the whole installation until they resume it: refreshes, schedules as a whole, or everything that goes
 * out (a quiet installation). Each hold says who holds it, since when and why. It is in the store, so every node sees it at once.
 */
import type { Kysely } from 'kysely'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { type Held, type HeldSubject, type HoldRow, type HoldState, heldSubjects } from './held.ts'
import { badReason } from './problems.ts'

export type Holds = {
  /** Of every subject, in the order of `heldSubjects`. */
  readonly list: () => Promise<readonly HoldState[]>
  readonly find: (subject: HeldSubject) => Promise<HoldState>
  /** What is held already stays as it is held, and leaves no audit entry. @throws Problem DIR841 */
  readonly hold: (subject: HeldSubject, held: Held) => Promise<HoldState>
  /** Resuming what is not held changes nothing, but for `outbound`: a node may be quiet for itself. */
  readonly resume: (subject: HeldSubject, by: string, at: string) => Promise<HoldState>
}

export const createHolds = (db: Kysely<ControlTables>): Holds => ({
  list: async () => {
    const rows = await db.selectFrom('holds').selectAll().execute()
    return heldSubjects.map((subject) =>
      stateOf(
        subject,
        rows.find((row) => row.subject === subject),
      ),
    )
  },
  find: (subject) => find(db, subject),
  hold: (subject, { at, by, reason: given }) =>
    db.transaction().execute(async (transaction) => {
      const reason = given.trim()
      if (reason === '' || reason.length > MOST_REASON) throw badReason(given, MOST_REASON)
      const { held } = await find(transaction, subject)
      if (held !== null) return find(transaction, subject)
      await write(transaction, subject, { held_at: at, held_by: by, reason })
      const [before, after] = [{ held: false }, { held: true, reason }]
      await recordChange(transaction, { at, actor: by, action: 'hold', subjectId: subject, before, after })
      return find(transaction, subject)
    }),
  resume: (subject, by, at) =>
    db.transaction().execute(async (transaction) => {
      const { held } = await find(transaction, subject)
      if (held === null && subject !== 'outbound') return find(transaction, subject)
      const none = { held_at: null, held_by: null, reason: null }
      await write(transaction, subject, { ...none, resumed_at: at })
      const [before, after] = [{ held: true, reason: held?.reason ?? null }, { held: false }]
      await recordChange(transaction, { at, actor: by, action: 'resume', subjectId: subject, before, after })
      return find(transaction, subject)
    }),
})

export const MOST_REASON = 500

/** Whether one of these is held, in the transaction of a change that must not happen then. */
export async function isHeld(db: Kysely<ControlTables>, subjects: readonly HeldSubject[]): Promise<boolean> {
  const rows = db.selectFrom('holds').select('subject').where('subject', 'in', subjects)
  return (await rows.where('held_at', 'is not', null).executeTakeFirst()) !== undefined
}

async function find(db: Kysely<ControlTables>, subject: HeldSubject): Promise<HoldState> {
  const row = await db.selectFrom('holds').selectAll().where('subject', '=', subject).executeTakeFirst()
  return stateOf(subject, row)
}

function stateOf(subject: HeldSubject, row: HoldRow | undefined): HoldState {
  const { held_at: at = null, held_by: by = null, reason = null, resumed_at: resumedAt = null } = row ?? {}
  const isHeld = at !== null && by !== null && reason !== null
  return { subject, held: isHeld ? { at, by, reason } : null, resumedAt }
}

async function write(
  db: Kysely<ControlTables>,
  subject: HeldSubject,
  change: Partial<Omit<HoldRow, 'subject'>>,
): Promise<void> {
  const none = { held_at: null, held_by: null, reason: null, resumed_at: null }
  await db
    .insertInto('holds')
    .values({ subject, ...none, ...change })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet(change))
    .execute()
}
