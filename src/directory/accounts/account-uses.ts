/**
 * Records when accounts were last used: in memory with every request, in the store at most once a minute. Uses that cannot be
 * written (a lock, a full disk) are kept for later; nothing else fails because of them.
 */
import type { ControlTables } from '../control-tables.ts'
import type { Queries } from '../database.ts'

export type AccountUses = {
  /** Call it when the account's key or psk has just been accepted. */
  readonly noteUse: (accountId: string) => void
  /** Writes the uses in memory and takes no more. */
  readonly writeAll: () => Promise<void>
}

const WRITTEN_EVERY_MS = 60_000
const NEXT_BATCH_AFTER_MS = 20
const NEXT_ATTEMPT_AFTER_MS = 1000
/** Accounts per transaction: about a millisecond of work. */
const ACCOUNTS_PER_BATCH = 200

export function createAccountUses({ queries, runEach }: Queries<ControlTables>): AccountUses {
  const update = queries
    .updateTable('accounts')
    .set({ last_used_at: '' })
    .where('id', '=', '')
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', '')]))
    .compile()
  let noted = new Map<string, number>()
  /** Uses that are being written, kept apart so that uses noted meanwhile wait for their own minute. */
  let due = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<boolean> = Promise.resolve(true)

  /** @returns whether it could be written */
  const writeBatch = async (): Promise<boolean> => {
    const batch = [...due].slice(0, ACCOUNTS_PER_BATCH)
    try {
      await queries.transaction().execute((transaction) => runEach(transaction, update, batch.map(valuesOf)))
    } catch {
      return false
    }
    for (const [accountId] of batch) due.delete(accountId)
    return true
  }

  const takeNoted = () => {
    due = new Map([...due, ...noted])
    noted = new Map()
  }

  const schedule = (delayMs: number) => {
    timer = setTimeout(async () => {
      if (due.size === 0) takeNoted()
      writing = writeBatch()
      const isWritten = await writing
      timer = undefined
      if (due.size > 0) schedule(isWritten ? NEXT_BATCH_AFTER_MS : NEXT_ATTEMPT_AFTER_MS)
      else if (noted.size > 0) schedule(WRITTEN_EVERY_MS)
    }, delayMs).unref()
  }

  return {
    noteUse: (accountId) => {
      noted.set(accountId, Date.now())
      if (timer === undefined) schedule(WRITTEN_EVERY_MS)
    },
    writeAll: async () => {
      clearTimeout(timer)
      await writing
      // The attempt has scheduled the next one, even if it failed.
      clearTimeout(timer)
      takeNoted()
      while (due.size > 0 && (await writeBatch())) {}
    },
  }
}

function valuesOf([accountId, instant]: readonly [string, number]): readonly string[] {
  const at = new Date(instant).toISOString()
  return [at, accountId, at]
}
