/** Finds what the shape of a definition cannot say about its schedules. All faults at once, each with the member and the column. */
import type { ProblemDetail } from '../../kernel/problem.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { cronFaults, isTimeZone } from './cron.ts'
import { badSchedules } from './problems.ts'

/** Schedules are read as a whole by every look at them. */
const MOST_INPUT_BYTES = 65_536

/** What decides when and how an endpoint runs. */
type Timed = Pick<EndpointDefinition, 'name' | 'method' | 'schedules'>

/** Empty when the definition can be published. */
export function scheduleFaults({ method, schedules }: Omit<Timed, 'name'>): readonly ProblemDetail[] {
  if (schedules.length === 0 && method === null) {
    return [{ path: '/schedules', message: 'Expected a method and a path, or a schedule, found neither' }]
  }
  const names = new Set<string>()
  return schedules.flatMap(({ name, cron, timeZone, input }, index) => {
    const faults: ProblemDetail[] = []
    const add = (member: string, message: string, column?: number) =>
      faults.push({
        path: `/schedules/${index}/${member}`,
        message,
        ...(column !== undefined && { column }),
      })
    if (names.has(name)) add('name', `Expected a name that no other schedule of it has, found '${name}'`)
    names.add(name)
    for (const { message, column } of cronFaults(cron)) add('cron', message, column)
    if (!isTimeZone(timeZone)) {
      add('timeZone', `Expected an IANA time zone such as Europe/Berlin, found '${timeZone}'`)
    }
    const bytes = Buffer.byteLength(JSON.stringify(input))
    if (bytes > MOST_INPUT_BYTES) {
      add('input', `Expected at most ${MOST_INPUT_BYTES} bytes of JSON, found ${bytes}`)
    }
    return faults
  })
}

/** @throws DetailedProblem END170 */
export function refuseBadSchedules(definition: Timed): void {
  const faults = scheduleFaults(definition)
  if (faults.length > 0) throw badSchedules(definition.name, faults)
}
