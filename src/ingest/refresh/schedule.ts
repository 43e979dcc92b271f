/** Starts the scheduled refreshes of a service. */
import { Cron } from 'croner'
import type { Refreshes } from './refreshes.ts'

/**
 * Starts a refresh at each time that the pattern names, unless the previous refresh still runs.
 *
 * @returns a function that ends the schedule
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
