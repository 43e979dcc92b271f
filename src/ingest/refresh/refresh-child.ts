/**
 * The process of a refresh that a service has started. Its only argument says what to refresh; it answers with one message,
 * and ends when the service tells it to or is gone.
 */
import { constants, setPriority } from 'node:os'
import { isForWantOfRoom, whyNotWritable } from '../../directory/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import { runRefresh } from '../cycle.ts'
import { notifyOperators } from './refresh-notice.ts'
import type { RefreshAnswer, RefreshOrder } from './refresh-process.ts'

const order = JSON.parse(process.argv[2] as string) as RefreshOrder
// Readers are served on the same machine; threads that are started from here inherit it.
setPriority(constants.priority.PRIORITY_LOW)
const stopping = new AbortController()
// A second signal ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
process.once('disconnect', () => stopping.abort())
try {
  const summary = await runRefresh({ ...order, observe: () => undefined, signal: stopping.signal })
  await notifyOperators(order.dataFolder, summary)
  const { snapshot, rejects, warnings } = summary
  answer({ published: { snapshot, rejects, warnings } })
} catch (error) {
  if (!(error instanceof Problem)) throw error
  answer({ refused: reasonOf(error) })
}

/** Nothing keeps the process alive after this. */
function answer(message: RefreshAnswer): void {
  if (process.connected) process.send?.(message, () => process.connected && process.disconnect())
}

/** As the `ingest` command says it. */
function reasonOf(problem: Problem): string {
  if (isForWantOfRoom(problem)) return whyNotWritable(problem)
  const { message, hint } = problem
  return hint === undefined ? message : `${message}\n           ${hint}`
}
