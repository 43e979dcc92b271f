/** The problems of serving: SRV2xx. */
import { Problem } from '../kernel/problem.ts'

/** @param skipped why the snapshot that is there cannot be answered from, for the operator */
export const notReady = (skipped: string | null = null): Problem =>
  new Problem('SRV201', 'The data is not ready yet: there is no snapshot to answer from', {
    hint: skipped ?? 'Retry in a few minutes.',
  })
