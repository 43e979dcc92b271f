/** The conditions that choose runs: parameters of the list and of deletions, and the filter of a batch of reruns. */
import type { Static } from 'typebox'
import type { ExecutionFilter } from '../../directory/history/history.ts'
import Type from '../../kernel/type.ts'
import { endpointCategories } from '../../schema/endpoint-shapes.ts'
import { executionStatuses, executionTypes } from '../../schema/execution-shapes.ts'
import { instantParameter, instantText } from '../paging.ts'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }))

export const executionConditions = {
  status: Type.Optional(
    Type.Enum([...executionStatuses], {
      description: 'Only runs with this status. `Refused` stands for requests whose script did not run',
    }),
  ),
  type: Type.Optional(
    Type.Enum([...executionTypes], {
      description:
        'Only requests of callers (`DynamicEndpoint`), runs by schedule (`ScheduledScript`), trials of drafts (`Test`), or reruns (`Rerun`)',
    }),
  ),
  endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Only runs of this endpoint' })),
  category: Type.Optional(
    Type.Enum([...endpointCategories], {
      description: 'Only runs of endpoints that had this category at the time',
    }),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only runs of this version; give the endpoint too' }),
  ),
  executionId: text('The id of a run, or at least its first eight characters'),
  principalId: text('Only runs of this caller, such as `user:ann@example.com`'),
  requestId: text('Only the runs of the request with this X-Request-Id'),
  responseStatus: text('Only runs whose answer had this HTTP status: `404`, or `4xx` for the whole class'),
  minExecutionTimeMs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only runs that took at least so many milliseconds' }),
  ),
  maxExecutionTimeMs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only runs that took at most so many milliseconds' }),
  ),
  text: text('A part of endpoint name, path or error message, in any letter case'),
  content: text(
    'A part of request, response or log, exactly as it is recorded. Reads 20,000 runs for a page: a page may then have few items and still a `next`. Give a time, to be faster',
  ),
  from: instantParameter('Only runs that began at or after this time'),
  to: instantParameter('Only runs that began before this time'),
}

export const ExecutionConditions = Type.Object(executionConditions, { additionalProperties: false })

/** @param at where the conditions stand in the input, such as `/filter` @throws DetailedProblem ADM105 */
export const filterOf = (
  { from, to, ...rest }: Static<typeof ExecutionConditions>,
  at = '',
): ExecutionFilter => ({
  ...rest,
  from: instantText(`${at}/from`, from),
  to: instantText(`${at}/to`, to),
})
