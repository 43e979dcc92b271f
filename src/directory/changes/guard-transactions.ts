/**
 * Lets a caller put a check in front of a change, in the same transaction: what the check has read is still so when the change
 * is written, in every thread and on every node. The operations themselves know nothing of it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { ControlTables } from '../control-tables.ts'

/** Throws to refuse the change. */
export type TransactionCheck = (transaction: Transaction<ControlTables>) => Promise<void>

const waiting = new AsyncLocalStorage<{ check: TransactionCheck | null }>()

/** The first transaction that `change` begins runs the check first. One that begins when `change` is over never does. */
export function withCheck<T>(check: TransactionCheck, change: () => Promise<T>): Promise<T> {
  const place: { check: TransactionCheck | null } = { check }
  return waiting.run(place, () =>
    change().finally(() => {
      place.check = null
    }),
  )
}

/** Changes the query builder of a store so that its transactions run the checks of {@link withCheck}. */
export function guardTransactions(queries: Kysely<ControlTables>): void {
  const begin = queries.transaction.bind(queries)
  queries.transaction = () => {
    const builder = begin()
    const place = waiting.getStore()
    const check = place?.check ?? null
    if (place === undefined || check === null) return builder
    place.check = null
    const execute = builder.execute.bind(builder)
    builder.execute = (work) =>
      execute(async (transaction) => {
        await check(transaction)
        return work(transaction)
      })
    return builder
  }
}
