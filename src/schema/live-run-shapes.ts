/** Runs that wait or run at the moment, and the events of the stream that watches them. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { endpointCategories } from './endpoint-shapes.ts'
import { executionTypes, LogEntry } from './execution-shapes.ts'
import { moment, nullable } from './shapes.ts'

export const liveStates = ['queued', 'running'] as const

const count = (description: string) =>
  nullable(
    Type.Integer({
      description: `${description}; null while the run waits, or its thread is too busy to say`,
    }),
  )

export const LiveRun = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The id under which the run is recorded when it has ended',
    }),
    type: Type.Enum([...executionTypes]),
    state: Type.Enum([...liveStates]),
    endpointId: Type.String({ format: 'uuid' }),
    endpointName: Type.String(),
    category: Type.Enum([...endpointCategories]),
    version: nullable(Type.Integer({ description: 'Null for a draft' })),
    method: Type.String(),
    path: Type.String({ description: 'Path of the request' }),
    principalId: nullable(Type.String({ description: 'The caller; null for anonymous calls' })),
    requestId: nullable(Type.String({ description: 'X-Request-Id of the call' })),
    rerunOf: nullable(Type.String({ format: 'uuid' })),
    arrivedAt: moment('When the call arrived'),
    startedAt: nullable(moment('When the run began')),
    ageMs: Type.Integer({ description: 'Milliseconds since the call arrived' }),
    queuedMs: Type.Integer({ description: 'Milliseconds that the run has waited for its turn' }),
    statementCount: count('Statements so far'),
    loopCount: count('Rounds of loops so far'),
    logLineCount: count('Lines of the log so far'),
    hostCallCount: count('Calls of functions of the service so far'),
    node: Type.String({ description: 'The node that has the run' }),
  },
  { description: 'A run that waits or runs' },
)

const endedStatuses = ['Success', 'Failed', 'Cancelled', 'Rejected', 'Refused'] as const

/** What the stream sends after its first event, the list. */
export const LiveEvent = Type.Union(
  [
    Type.Object({ event: Type.Literal('queued'), run: LiveRun }),
    Type.Object({
      event: Type.Literal('started'),
      id: Type.String({ format: 'uuid' }),
      endpointId: Type.String({ format: 'uuid' }),
      startedAt: moment('When the run began'),
      queuedMs: Type.Integer(),
    }),
    Type.Object({
      event: Type.Literal('log'),
      id: Type.String({ format: 'uuid' }),
      endpointId: Type.String({ format: 'uuid' }),
      ...LogEntry.properties,
    }),
    Type.Object({
      event: Type.Literal('ended'),
      id: Type.String({ format: 'uuid' }),
      endpointId: Type.String({ format: 'uuid' }),
      endedAt: moment('When the run ended'),
      status: Type.Enum([...endedStatuses]),
      responseStatus: nullable(Type.Integer({ description: 'Null when the answer is not known' })),
      code: nullable(Type.String({ description: 'Why it did not run to its end' })),
    }),
  ],
  { description: 'Something that happened to a run' },
)

export type LiveRun = Static<typeof LiveRun>
export type LiveEvent = Static<typeof LiveEvent>
