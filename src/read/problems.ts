/** The problems of serving: SRV2xx. */
import { Problem } from '../kernel/problem.ts'

export const notReady = (): Problem =>
  new Problem('SRV201', 'The data is not ready yet: no snapshot has been published', {
    hint: 'Retry in a few minutes.',
  })
