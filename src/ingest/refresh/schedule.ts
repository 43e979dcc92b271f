/** Starts the scheduled refreshes of a service. */
import { Cron } from 'croner'
import type { Refreshes } from './refreshes.ts'

/**
 * Starts a refresh at each time that the pattern names, unless the previous refresh still runs.
 *
 * @param signal ends a refresh that the schedule has started
 * @returns a function that ends the schedule
 */
export function scheduleRefreshes(
  pattern: string | undefined,
  refreshes: Pick<Refreshes, 'startScheduled'>,
  { onFailure, signal }: { readonly onFailure: (cause: unknown) => void; readonly signal: AbortSignal },
): () => void {
  if (pattern === undefined) return () => undefined
  const schedule = new Cron(pattern, { catch: onFailure }, () => refreshes.startScheduled({ signal }))
  return () => schedule.stop()
}
