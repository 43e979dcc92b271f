/** Tells the operators that a refresh published nothing: once, until one has published again. */
import type { Kysely } from 'kysely'
import { cutToBytes } from '../../kernel/detached-string.ts'
import type { RefreshOutcome, RefreshReason } from '../../schema/refresh-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { addNotification } from '../notifications/notifications.ts'

/** For readers and the audit trail. */
const SENDER = 'refresh'

const MOST_REASON_BYTES = 1000

const isFailure = (outcome: string | undefined): boolean => outcome === 'refused' || outcome === 'failed'

type Ended = {
  readonly id: string
  readonly outcome: RefreshOutcome
  readonly reasons: readonly RefreshReason[]
}

/** @param transaction the one that records the end */
export async function notifyOfRefusal(
  transaction: Kysely<ControlTables>,
  { id, outcome, reasons }: Ended,
): Promise<void> {
  if (!isFailure(outcome) || isFailure(await outcomeBefore(transaction, id))) return
  const because = reasons.map(({ message, hint }) => (hint === null ? message : `${message}. ${hint}`))
  const reason = cutToBytes(because.join('\n') || 'no reason is known', MOST_REASON_BYTES).text
  const draft = {
    title: outcome === 'refused' ? 'A refresh was refused' : 'A refresh failed',
    message: `${reason}\nThe snapshot before it stays current.`,
    type: 'Error',
    link: null,
    audience: null,
  } as const
  await addNotification(transaction, draft, SENDER)
}

async function outcomeBefore(transaction: Kysely<ControlTables>, id: string): Promise<string | undefined> {
  const row = await transaction
    .selectFrom('refreshes')
    .select('outcome')
    .where('id', '!=', id)
    .where('outcome', 'in', ['published', 'unchanged', 'refused', 'failed'])
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.outcome
}
