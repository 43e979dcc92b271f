/** When a service refreshes by itself. */
import { Cron } from 'croner'
import type { Refreshes } from './refreshes.ts'

/**
 * Starts a refresh at each time that the pattern names; a time while the previous refresh still runs is skipped.
 *
 * @returns what ends the schedule
 */
export function scheduleRefreshes(
  pattern: string | undefined,
  refreshes: Pick<Refreshes, 'start'>,
  onFailure: (cause: unknown) => void,
): () => void {
  if (pattern === undefined) return () => undefined
  const schedule = new Cron(
    pattern,
    { catch: onFailure },
    async () => void (await refreshes.start('schedule')),
  )
  return () => schedule.stop()
}
