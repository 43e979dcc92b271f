/**
 * Counts what accounts ask for: requests, bytes and the last address per day (UTC). Each thread counts in memory and adds its
 * counts to the store once a minute. Counts that cannot be written are kept for later; a kill loses those of the last minute.
 */
import type { Kysely } from 'kysely'
import type { ControlTables } from '../control-tables.ts'
import type { Queries } from '../database.ts'

export type AccountUsage = {
  /** Call it when an answer to the account is over. `address` is that of the caller. */
  readonly noteAnswer: (accountId: string, bytes: number, address: string | undefined) => void
  /** Writes the counts in memory and takes no more. */
  readonly writeAll: () => Promise<void>
}

export type AccountUsageDay = {
  /** `2026-01-31`, in UTC. */
  readonly day: string
  readonly requests: number
  readonly bytes: number
  readonly lastAddress: string | null
}

/** What an account asked for on several days together. */
export type AccountUsageTotal = {
  readonly accountId: string
  readonly requests: number
  readonly bytes: number
  /** The last day with a request. */
  readonly lastDay: string
}

/** Days in UTC: from inclusive, to exclusive. */
export type UsageDays = { readonly from?: string | undefined; readonly to?: string | undefined }

/** Older days are removed. */
const USAGE_KEPT_DAYS = 400

const WRITTEN_EVERY_MS = 60_000
const DAY_MS = 86_400_000
/** Accounts per transaction: about a millisecond of work. */
const ACCOUNTS_PER_BATCH = 200

type Counts = { requests: number; bytes: number; address: string | null; day: number }

export function createAccountUsage({ queries, runEach }: Queries<ControlTables>): AccountUsage {
  const add = additionIn(queries)
  let counts = new Map<string, Counts>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let prunedOn = 0

  const write = async () => {
    const taken = [...counts]
    counts = new Map()
    try {
      while (taken.length > 0) {
        const batch = taken.slice(0, ACCOUNTS_PER_BATCH).map(valuesOf)
        await queries.transaction().execute((transaction) => runEach(transaction, add, batch))
        taken.splice(0, ACCOUNTS_PER_BATCH)
      }
      const today = Math.floor(Date.now() / DAY_MS)
      if (prunedOn !== today) await prune(queries, today)
      prunedOn = today
    } catch {
      for (const [key, count] of taken) merge(counts, key, count)
    }
  }

  const schedule = () => {
    timer = setTimeout(async () => {
      writing = write()
      await writing
      timer = undefined
      if (counts.size > 0) schedule()
    }, WRITTEN_EVERY_MS).unref()
  }

  return {
    noteAnswer: (accountId, bytes, address) => {
      const day = Math.floor(Date.now() / DAY_MS)
      const known = counts.get(accountId)
      if (known?.day === day) {
        known.requests++
        known.bytes += bytes
        if (address !== undefined) known.address = address
        return
      }
      // The counts of the day before wait under a key of their own.
      if (known !== undefined) merge(counts, `${accountId} ${known.day}`, known)
      counts.set(accountId, { requests: 1, bytes, address: address ?? null, day })
      if (timer === undefined) schedule()
    },
    writeAll: async () => {
      clearTimeout(timer)
      await writing
      clearTimeout(timer)
      if (counts.size > 0) await write()
    },
  }
}

function merge(counts: Map<string, Counts>, key: string, count: Counts): void {
  const known = counts.get(key)
  if (known === undefined) counts.set(key, count)
  else if (known.day === count.day) {
    known.requests += count.requests
    known.bytes += count.bytes
  } else merge(counts, `${key.slice(0, UUID_LENGTH)} ${count.day}`, count)
}

const UUID_LENGTH = 36

function valuesOf([key, { requests, bytes, address, day }]: readonly [string, Counts]) {
  return [key.slice(0, UUID_LENGTH), dayText(day), requests, bytes, address, requests, bytes, address]
}

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Adds to the row of the day. Each value stands twice: for a new row, and for one that is there. */
const additionIn = (queries: Kysely<ControlTables>) =>
  queries
    .insertInto('account_usage')
    .values({ account_id: '', day: '', requests: 0, bytes: 0, last_address: '' })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day']).doUpdateSet((is) => ({
        requests: is('account_usage.requests', '+', 0),
        bytes: is('account_usage.bytes', '+', 0),
        last_address: '',
      })),
    )
    .compile()

async function prune(queries: Kysely<ControlTables>, today: number): Promise<void> {
  const accounts = queries.selectFrom('accounts').select('id')
  await queries
    .deleteFrom('account_usage')
    .where((is) =>
      is.or([is('day', '<', dayText(today - USAGE_KEPT_DAYS)), is('account_id', 'not in', accounts)]),
    )
    .execute()
}

export async function readUsage(
  db: Kysely<ControlTables>,
  accountId: string,
  { from, to }: UsageDays,
): Promise<readonly AccountUsageDay[]> {
  let query = db.selectFrom('account_usage').selectAll().where('account_id', '=', accountId).orderBy('day')
  if (from !== undefined) query = query.where('day', '>=', from)
  if (to !== undefined) query = query.where('day', '<', to)
  const rows = await query.execute()
  return rows.map(({ day, requests, bytes, last_address }) => ({
    day,
    requests,
    bytes,
    lastAddress: last_address,
  }))
}

/** The accounts with requests on these days, in no order. */
export async function readUsageTotals(
  db: Kysely<ControlTables>,
  { from, to }: UsageDays,
): Promise<readonly AccountUsageTotal[]> {
  let query = db
    .selectFrom('account_usage')
    .groupBy('account_id')
    .select(({ fn }) => [
      'account_id',
      fn.sum<number>('requests').as('requests'),
      fn.sum<number>('bytes').as('bytes'),
      fn.max('day').as('last_day'),
    ])
  if (from !== undefined) query = query.where('day', '>=', from)
  if (to !== undefined) query = query.where('day', '<', to)
  const rows = await query.execute()
  return rows.map(({ account_id, requests, bytes, last_day }) => ({
    accountId: account_id,
    requests,
    bytes,
    lastDay: last_day,
  }))
}
