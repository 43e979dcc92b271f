/** Counts what accounts ask for, from the observations of requests. */
import type { AccountUsage } from '../../directory/accounts/account-usage.ts'
import type { Observe } from '../../observe/observation.ts'

/** Passes every observation on. */
export const countingUsage =
  (observe: Observe, noteAnswer: AccountUsage['noteAnswer']): Observe =>
  (observation) => {
    if (observation.kind === 'request-answered' && observation.accountId !== undefined) {
      noteAnswer(observation.accountId, observation.bytes, observation.address)
    }
    observe(observation)
  }
