/** The problems of serving: SRV2xx. */
import type { Overrun } from '../engine/work-budget.ts'
import { Problem } from '../kernel/problem.ts'

/** @param skipped why the published snapshot cannot be used, for the operator */
export const notReady = (skipped: string | null = null): Problem =>
  new Problem('SRV201', 'The data is not ready yet: there is no snapshot to answer from', {
    hint: skipped ?? 'Retry in a few minutes.',
  })

/** The first call of an endpoint would wait for the threads that run scripts. */
export const stillStarting = (): Problem =>
  new Problem('SRV201', 'The service is not ready yet: the threads that run scripts are starting', {
    hint: 'Retry in some seconds.',
  })

/** What `/readyz` says without a credential, so it names no server. */
export const storeAway = (): Problem =>
  new Problem('SRV202', 'The service cannot reach the database of its accounts', {
    hint: 'It tries again every second. Its log names the database and the reason.',
  })

/** Another node may have the key with which the accounts are sealed. */
export const accountsNotChecked = (): Problem =>
  new Problem('SRV202', 'The service cannot tell whether its accounts are as they were written', {
    hint: 'They are sealed with another secret key than that of this service. Its log says what to do.',
  })

/** A later try may need less, when more indexes exist or the machine is less busy. */
export const stopped = ({ kind, limit }: Overrun): Problem =>
  new Problem(
    'SRV241',
    kind === 'cpu'
      ? `The request was stopped: finding its records took more than ${limit} ms of processor time (requestCpuMs)`
      : `The request was stopped: finding its records takes reading more than ${limit} rows (requestRowsScanned)`,
    {
      hint: 'Narrow it by a date, or use fewer conditions; the same request may succeed after a while.',
    },
  )
