/** Runs of scripts: recorded (request, response, log and outcome, without secrets), and those that wait or run at the moment. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { endpointCategories, recordedParts } from './endpoint-shapes.ts'
import { moment, nullable } from './shapes.ts'

/** A refused request ran no script: its row says who was refused, when and why. */
export const executionStatuses = ['Success', 'Failed', 'Cancelled', 'Refused'] as const
/** The type of a trial, which runs a draft without its writes. History and admin API keep the older name `Test`. */
export const TRIAL = 'Test'
/** The response of a rerun goes to the operator only. */
export const executionTypes = ['DynamicEndpoint', 'ScheduledScript', TRIAL, 'Rerun'] as const
export const logLevels = ['Debug', 'Information', 'Warning', 'Error'] as const

export const LogEntry = Type.Object({
  time: moment('When it was written'),
  level: Type.Enum([...logLevels]),
  message: Type.String(),
})

/** Values of credentials are replaced by `[redacted]`. A long body is cut, and `truncated` is true then. */
export const RecordedRequest = Type.Object({
  method: Type.String(),
  path: Type.String(),
  queryString: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  params: Type.Record(Type.String(), Type.String()),
  body: nullable(Type.String()),
  truncated: Type.Boolean(),
})

export const RecordedResponse = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: nullable(Type.String()),
  truncated: Type.Boolean(),
})

export const ExecutionError = Type.Object({
  code: Type.String({
    description: 'Code of the script problem, such as JM5900, or of the problem of the service',
  }),
  message: Type.String(),
  line: nullable(Type.Integer()),
  column: nullable(Type.Integer()),
  limit: nullable(Type.String({ description: 'The limit that ended the run' })),
})

/** What the script sent with `HttpRequest` and `SendMail`; in a trial, what it would have sent. */
export const SentByRun = Type.Object({
  httpRequests: Type.Integer({ description: 'With retries and redirects' }),
  httpSentBytes: Type.Integer({ description: 'Bytes of the bodies of requests' }),
  httpReadBytes: Type.Integer({ description: 'Bytes of the bodies of answers' }),
  mails: Type.Integer(),
  mailRecipients: Type.Integer(),
})

/** What a run has read: noted whatever the endpoint records. */
export const ReadByRun = Type.Object({
  clientCount: Type.Integer({
    description: 'Clients whose records were asked for; at most 10,000 are counted',
  }),
  clientNumbers: Type.Array(Type.String(), {
    description: 'Their numbers, the first 1,000, in the order of asking; a long one is cut',
  }),
  secretCount: Type.Integer(),
  secretNames: Type.Array(Type.String(), { description: 'Secrets whose values it got, in lower case' }),
  functions: Type.Array(Type.String(), {
    description: 'Functions that have read or written something outside of the script, such as `GetState`',
  }),
})

const summary = {
  id: Type.String({ format: 'uuid' }),
  type: Type.Enum([...executionTypes]),
  status: Type.Enum([...executionStatuses]),
  endpointId: Type.String({ format: 'uuid' }),
  endpointName: Type.String(),
  category: Type.Enum([...endpointCategories]),
  version: nullable(Type.Integer({ description: 'Null for a draft' })),
  method: Type.String(),
  path: Type.String({ description: 'Path of the request' }),
  responseStatus: Type.Integer(),
  startedAt: moment('When the run began'),
  completedAt: moment('When the run ended'),
  queuedMs: Type.Number({ description: 'Milliseconds that the run waited for its turn' }),
  executionTimeMs: Type.Number(),
  statementCount: Type.Integer(),
  loopCount: Type.Integer(),
  principalId: nullable(Type.String({ description: 'The caller; null for anonymous calls' })),
  requestId: nullable(Type.String({ description: 'X-Request-Id of the call' })),
  rerunOf: nullable(Type.String({ format: 'uuid' })),
  errorMessage: nullable(Type.String()),
  requestCount: Type.Integer({
    description:
      'Requests that the row stands for: 1 for a run. Refusals that come fast are counted together in one row',
  }),
}

export const ExecutionSummary = Type.Object(summary, { description: 'One run, as it appears in lists' })

export const Execution = Type.Object(
  {
    ...summary,
    recorded: Type.Enum([...recordedParts], {
      description:
        'How much the endpoint has recorded: everything, no contents (`metadata`), or neither contents nor who called what (`none`)',
    }),
    request: RecordedRequest,
    response: RecordedResponse,
    log: Type.Array(LogEntry),
    error: nullable(ExecutionError),
    cancellationReason: nullable(Type.String()),
    sent: SentByRun,
    read: nullable(ReadByRun),
  },
  { description: 'One run in full' },
)

export const ExecutionStatistics = Type.Object({
  endpointId: Type.String({ format: 'uuid' }),
  endpointName: Type.String(),
  runs: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  successRate: Type.Number({ description: 'From 0 to 1' }),
  meanExecutionTimeMs: Type.Number(),
  maxExecutionTimeMs: Type.Number(),
  meanStatementCount: Type.Number(),
  lastRunAt: nullable(moment('When the newest run began')),
})

export const seriesSteps = ['minute', 'hour', 'day'] as const

const percentile = (percent: number) =>
  nullable(
    Type.Number({
      description: `Milliseconds within which ${percent} % of the runs ended, to within 2.2 %; null without runs`,
    }),
  )

export const SeriesPoint = Type.Object({
  at: moment('When the minute, hour or day (UTC) begins'),
  count: Type.Integer({ description: 'Runs that began in it: succeeded, failed and cancelled' }),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  refused: Type.Integer({ description: 'Requests that were refused; they are not part of `count`' }),
  p50: percentile(50),
  p95: percentile(95),
  p99: percentile(99),
})

export const rerunVersions = ['original', 'current'] as const

/** `interrupted`: the service ended during the run, so it may have done a part of its work. It is not run again. */
const rerunStates = ['waiting', 'running', 'done', 'skipped', 'interrupted', 'stopped'] as const

export const RerunItem = Type.Object({
  executionId: Type.String({ format: 'uuid', description: 'The run that is repeated' }),
  state: Type.Enum([...rerunStates]),
  rerunId: nullable(Type.String({ format: 'uuid', description: 'The new run' })),
  status: nullable(Type.Enum([...executionStatuses], { description: 'How the new run ended' })),
  problem: nullable(Type.String({ description: 'Why there is no new run, or why its end is not known' })),
})

export const RerunJob = Type.Object({
  id: Type.String({ format: 'uuid' }),
  requestedBy: Type.String(),
  requestedAt: moment('When it was requested'),
  filter: Type.Record(Type.String(), Type.Unknown(), { description: 'The filter that chose the runs' }),
  version: Type.Enum([...rerunVersions]),
  isOpen: Type.Boolean({ description: 'Whether runs wait or are under way' }),
  total: Type.Integer(),
  waiting: Type.Integer(),
  running: Type.Integer(),
  done: Type.Integer({ description: 'Runs that have ended, with any status' }),
  failed: Type.Integer({ description: 'Those of the done ones that did not succeed' }),
  skipped: Type.Integer({ description: 'Runs that cannot be repeated' }),
  interrupted: Type.Integer({ description: 'Runs during which the service ended; they are not run again' }),
  stopped: Type.Integer({ description: 'Runs that were still waiting when the job was stopped' }),
})

export const Notepad = Type.Object({
  id: Type.String({ format: 'uuid' }),
  sourceId: nullable(Type.String({ description: 'Id of the endpoint' })),
  executionId: Type.String({ format: 'uuid' }),
  createdAt: moment('When it was written'),
  createdBy: Type.String(),
  content: Type.Unknown(),
})

export type LogEntry = Static<typeof LogEntry>
export type LogLevel = (typeof logLevels)[number]
export type RecordedRequest = Static<typeof RecordedRequest>
export type RecordedResponse = Static<typeof RecordedResponse>
export type ExecutionError = Static<typeof ExecutionError>
export type ExecutionSummary = Static<typeof ExecutionSummary>
export type SentByRun = Static<typeof SentByRun>
export type ReadByRun = Static<typeof ReadByRun>
export type Execution = Static<typeof Execution>
export type ExecutionStatistics = Static<typeof ExecutionStatistics>
export type SeriesStep = (typeof seriesSteps)[number]
export type SeriesPoint = Static<typeof SeriesPoint>
export type RerunItem = Static<typeof RerunItem>
export type RerunJob = Static<typeof RerunJob>
export type Notepad = Static<typeof Notepad>

/** Of runs that sent nothing, and of records that were made before runs could. */
export const nothingSent: SentByRun = {
  httpRequests: 0,
  httpSentBytes: 0,
  httpReadBytes: 0,
  mails: 0,
  mailRecipients: 0,
}

export const nothingRead: ReadByRun = {
  clientCount: 0,
  clientNumbers: [],
  secretCount: 0,
  secretNames: [],
  functions: [],
}

export const liveStates = ['queued', 'running'] as const

const liveCount = (description: string) =>
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
    statementCount: liveCount('Statements so far'),
    loopCount: liveCount('Rounds of loops so far'),
    logLineCount: liveCount('Lines of the log so far'),
    hostCallCount: liveCount('Calls of functions of the service so far'),
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
