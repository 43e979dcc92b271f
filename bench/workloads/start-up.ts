/** From the command to the first 200 of /readyz. */
import { startTripfolio } from '../contenders/tripfolio.ts'
import { manyClients, prepareDataset } from '../dataset.ts'
import { profileOf } from '../profile.ts'
import { median, percentile } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, WorkloadResult } from '../workload.ts'

export async function startUp({ pace, profiling }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const times: number[] = []
  for (let i = 0; i < pace.repeats; i++) {
    const tripfolio = await startTripfolio(dataset)
    times.push(tripfolio.readyMs)
    await tripfolio.stop()
  }
  const judgement = judge({ atMost: 1000 }, median(times), 'ms')
  return {
    what: `From the command to the first 200 of /readyz, snapshot of ${dataset.bookings} bookings`,
    tables: [
      {
        rows: [
          {
            starts: times.length,
            'median ms': Math.round(median(times)),
            'longest ms': Math.round(percentile(times, 1)),
            ...judgementCells([judgement]),
          },
        ],
      },
      ...(judgement.met && !profiling
        ? []
        : await profileOf(dataset, async () => undefined, { withStart: true })),
    ],
  }
}
