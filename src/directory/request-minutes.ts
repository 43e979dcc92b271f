/**
 * What each process answered in each minute of the last day. Every process writes rows of its own, so that nodes on one store
 * need not wait for each other; readers add them up. Nothing depends on these figures: a power cut may take the last ones.
 */
import { addCounts, type CountsByFamily } from '../observe/request-counts.ts'
import type { ControlDatabase } from './database.ts'

export type RequestMinute = {
  /** When the minute began: RFC 3339 in UTC. */
  readonly minute: string
  readonly counts: CountsByFamily
}

export type RequestMinutes = {
  /** Adds minutes of one process, and removes those that are older than a day. */
  readonly record: (processId: string, minutes: readonly RequestMinute[], now: Date) => Promise<void>
  /** Of all processes together, oldest first; minutes without a request are left out. */
  readonly since: (minute: string) => Promise<readonly RequestMinute[]>
}

/** A little longer than what is shown, so that the oldest minute is there in full. */
const KEPT_MS = 25 * 3_600_000

export const createRequestMinutes = ({ queries: db, relaxed }: ControlDatabase): RequestMinutes => ({
  record: async (processId, minutes, now) => {
    const rows = minutes.map(({ minute, counts }) => ({
      process_id: processId,
      minute,
      families: JSON.stringify(counts),
    }))
    await relaxed.queries.transaction().execute(async (transaction) => {
      const oldest = new Date(now.getTime() - KEPT_MS).toISOString()
      await transaction.deleteFrom('requests_by_minute').where('minute', '<', oldest).execute()
      for (const row of rows)
        await transaction
          .insertInto('requests_by_minute')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['minute', 'process_id']).doUpdateSet({ families: row.families }),
          )
          .execute()
    })
  },
  since: async (minute) => {
    const rows = await db
      .selectFrom('requests_by_minute')
      .select(['minute', 'families'])
      .where('minute', '>=', minute)
      .orderBy('minute')
      .execute()
    const minutes = new Map<string, CountsByFamily>()
    for (const row of rows)
      minutes.set(
        row.minute,
        addCounts(minutes.get(row.minute) ?? {}, JSON.parse(row.families) as CountsByFamily),
      )
    return [...minutes].map(([minute, counts]) => ({ minute, counts }))
  },
})
