/**
 * What each observation looks like in the log: its level, its message and its members. One row per kind, and nothing else
 * in the program writes log lines about requests, snapshots or refreshes.
 */
import type { Observation } from './observation.ts'

export type LogLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly members: Readonly<Record<string, unknown>>
}

type Lines = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => LogLine | null
}

/** The line of an observation, or null for what is only measured. */
export function logLine(observation: Observation): LogLine | null {
  return (lines[observation.kind] as (observation: Observation) => LogLine | null)(observation)
}

const line = (level: LogLine['level'], message: string, members: LogLine['members']): LogLine => ({
  level,
  message,
  members,
})

const lines: Lines = {
  'request-answered': (o) =>
    line(requestLevel(o.route, o.status), 'request', {
      requestId: o.requestId,
      method: o.method,
      route: o.route,
      status: o.status,
      ms: rounded(o.milliseconds),
      bytes: o.bytes,
      client: o.clientNumber,
      problem: o.problem,
      aborted: o.aborted || undefined,
    }),
  'request-failed': (o) =>
    line('error', 'request failed', { requestId: o.requestId, cause: describeCause(o.cause) }),
  'stage-timed': () => null,
  'snapshot-announced': (o) =>
    line('info', 'snapshot announced', {
      snapshot: o.snapshot,
      clients: o.clients,
      bytes: o.bytes,
      extractedAt: o.extractedAt,
    }),
  'partitions-held': () => null,
  'budget-exceeded': (o) =>
    line('warn', 'a file alone exceeds memoryBudget: while it is in use, nothing else stays loaded', {
      client: o.clientNumber,
      stored: o.stored,
      bytes: o.bytes,
      budget: o.budget,
    }),
  'snapshot-skipped': (o) => line('warn', 'snapshot skipped', { snapshot: o.snapshot, reason: o.reason }),
  'snapshot-damaged': (o) =>
    line('error', 'snapshot damaged', { snapshot: o.snapshot, file: o.file, reason: o.reason }),
  'partition-loaded': (o) =>
    line('debug', 'partition loaded', {
      snapshot: o.snapshot,
      client: o.clientNumber,
      stored: o.stored,
      bytes: o.bytes,
      ms: rounded(o.milliseconds),
    }),
  'thread-ended': (o) =>
    line('error', 'thread ended', { group: o.group, thread: o.thread, cause: describeCause(o.cause) }),
  'history-lost': (o) =>
    line('error', 'runs of scripts could not be recorded', { executions: o.executions, reason: o.reason }),
  'threads-limited': (o) => line('warn', 'serving with one thread', { wanted: o.wanted, reason: o.reason }),
  'refresh-started': (o) => line('info', 'refresh started', { source: o.source }),
  'refresh-published': (o) =>
    line('info', 'refresh published', {
      snapshot: o.snapshot,
      rejects: o.rejects,
      ms: rounded(o.milliseconds),
    }),
  'refresh-refused': (o) =>
    line('error', 'refresh refused', { source: o.source, code: o.code, reason: o.reason }),
  'history-damaged': (o) =>
    line('error', 'the history cannot be read; it was put aside and a new one begun', {
      movedTo: o.movedTo,
      reason: o.reason,
    }),
  'history-not-pruned': (o) => line('error', 'history could not be pruned', { reason: o.reason }),
  'refresh-failed': (o) => line('error', 'refresh failed', { cause: describeCause(o.cause) }),
  'key-rotated': (o) => line('info', 'key rotated', { account: o.accountId }),
  'script-logged': (o) =>
    line(scriptLevels[o.level], 'script', {
      endpoint: o.endpoint,
      executionId: o.executionId,
      loggedAt: o.loggedAt,
      text: o.message,
    }),
  'script-failed': (o) =>
    line('warn', 'script failed', {
      endpoint: o.endpoint,
      executionId: o.executionId,
      code: o.code,
      line: o.line ?? undefined,
      reason: o.message,
    }),
  'script-defect': (o) =>
    line('error', 'a script met a defect', {
      endpoint: o.endpoint,
      executionId: o.executionId,
      cause: describeCause(o.cause),
    }),
  'token-refused': (o) => line('warn', 'token refused', { requestId: o.requestId, reason: o.reason }),
  'delivery-refused': (o) =>
    line('warn', 'delivery refused', {
      requestId: o.requestId,
      endpoint: o.endpointName,
      endpointId: o.endpointId,
      reason: o.reason,
    }),
  'signing-secret-missing': (o) =>
    line('error', 'a secret that signs deliveries is unknown, inactive or expired', {
      requestId: o.requestId,
      endpoint: o.endpointName,
      endpointId: o.endpointId,
      secret: o.secret,
    }),
}

const scriptLevels = { Debug: 'debug', Information: 'info', Warning: 'warn', Error: 'error' } as const

/** Probes and scrapes come every few seconds and would drown the rest. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

function requestLevel(route: string, status: number): LogLine['level'] {
  if (probes.has(route)) return 'debug'
  return status >= 500 ? 'warn' : 'info'
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

/**
 * Name, code, message and stack, down the chain of causes. An error's other members stay out: a QueryProblem, for one,
 * carries what the caller was looking for.
 */
function describeCause(cause: unknown, depth = 0): unknown {
  if (!(cause instanceof Error)) return { message: `a thrown ${typeof cause}` }
  return {
    name: cause.name,
    code: 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined,
    message: cause.message,
    stack: cause.stack,
    cause: cause.cause === undefined || depth === 4 ? undefined : describeCause(cause.cause, depth + 1),
  }
}
