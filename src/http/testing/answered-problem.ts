/** Finds the problem code of a response, which only the observation of the request has. */
import assert from 'node:assert/strict'
import type { Observation } from '../../observe/observation.ts'
import { until } from './server.ts'

/** Asserts the problem code of the request that was answered. */
export async function assertProblem(
  observations: readonly Observation[],
  { headers }: Pick<Response, 'headers'>,
  code: string | undefined,
): Promise<void> {
  const id = headers.get('x-request-id')
  const problems = () =>
    observations.flatMap((one) =>
      one.kind === 'request-answered' && one.requestId === id ? [one.problem] : [],
    )
  await until(() => problems().length > 0)
  assert.equal(problems().at(-1), code)
}
