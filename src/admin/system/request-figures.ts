/** The requests of the last day as the admin API shows them: by family of routes, in total and for each minute. */
import type { RequestMinute } from '../../directory/request-minutes.ts'
import Type from '../../kernel/type.ts'
import {
  addCounts,
  type CountsByFamily,
  countedFamilies,
  percentileMs,
  type RequestCounts,
  requestsIn,
} from '../../observe/request-counts.ts'
import { moment, nullable } from '../../schema/shapes.ts'

const milliseconds = (share: string) =>
  nullable(
    Type.Number({
      description: `The time within which ${share} of the requests was answered, in milliseconds; interpolated between the bounds of the histogram 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000`,
    }),
  )

const figures = {
  family: Type.Enum([...countedFamilies], {
    description: 'The routes: of the versions, of endpoints, of this API, of events, or others',
  }),
  requests: Type.Integer({ description: 'Requests that were answered, without probes' }),
  failures: Type.Integer({ description: 'Of these, answered with 500 or more' }),
  refusals: Type.Integer({ description: 'Of these, answered with 400 to 499' }),
  p50Ms: milliseconds('half'),
  p95Ms: milliseconds('95 %'),
  p99Ms: milliseconds('99 %'),
}

export const RequestFigures = Type.Object(figures)

export const RequestsOfMinute = Type.Object({ minute: moment('When the minute began'), ...figures })

const DAY_MS = 86_400_000

export const aDayBefore = (now: Date): string => new Date(now.getTime() - DAY_MS).toISOString()

export const totalFigures = (minutes: readonly RequestMinute[]) =>
  figuresOf(minutes.reduce<CountsByFamily>((sum, { counts }) => addCounts(sum, counts), {}))

/** Oldest first; a minute has an item for each family with a request. */
export const minuteFigures = (minutes: readonly RequestMinute[]) =>
  minutes.flatMap(({ minute, counts }) => figuresOf(counts).map((one) => ({ minute, ...one })))

const figuresOf = (counts: CountsByFamily) =>
  countedFamilies.flatMap((family) => {
    const one = counts[family]
    return one === undefined ? [] : [{ family, ...figuresIn(one) }]
  })

const figuresIn = (counts: RequestCounts) => ({
  requests: requestsIn(counts),
  failures: counts.failures,
  refusals: counts.refusals,
  p50Ms: percentileMs(counts, 0.5),
  p95Ms: percentileMs(counts, 0.95),
  p99Ms: percentileMs(counts, 0.99),
})
