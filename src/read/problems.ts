/** The problems of serving: SRV2xx. */
import { Problem } from '../kernel/problem.ts'

export const notReady = (): Problem =>
  new Problem('SRV201', 'The data is not ready yet: there is no snapshot to answer from', {
    hint: 'Retry in a few minutes.',
  })
