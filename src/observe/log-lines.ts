/**
 * What each observation looks like in the log: its level, its message and its members. One row per kind, and nothing else
 * in the program writes log lines about requests, snapshots or refreshes.
 */
import type { Answered, Observation } from './observation.ts'
import { roundedMs } from './request-line.ts'
import { holdEffects } from './service-health.ts'

export type LogLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly members: Readonly<Record<string, unknown>>
}

type Lines = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => LogLine | null
}

/** The line of an observation, or null when it is only measured. */
export function logLine(observation: Observation): LogLine | null {
  return (lines[observation.kind] as (observation: Observation) => LogLine | null)(observation)
}

const line = (level: LogLine['level'], message: string, members: LogLine['members']): LogLine => ({
  level,
  message,
  members,
})

const lines: Lines = {
  // As JSON it is written by request-line.ts, which has to write the same.
  'request-answered': (o) =>
    line(levelOf(o), 'request', {
      requestId: o.requestId,
      method: o.method,
      route: o.route,
      status: o.status,
      ms: roundedMs(o.milliseconds),
      bytes: o.bytes,
      account: o.accountId,
      client: o.clientNumber,
      address: o.address,
      problem: o.problem,
      aborted: o.aborted || undefined,
    }),
  'request-failed': (o) =>
    line('error', 'request failed', { requestId: o.requestId, cause: describeCause(o.cause) }),
  'stage-timed': () => null,
  'load-measured': () => null,
  'runs-counted': () => null,
  'requests-shed': (o) =>
    line('warn', 'requests were refused because of too much load', { ...o.refused, seconds: o.seconds }),
  'snapshot-announced': (o) =>
    line('info', 'snapshot announced', {
      snapshot: o.snapshot,
      clients: o.clients,
      bytes: o.bytes,
      extractedAt: o.extractedAt,
    }),
  'snapshot-warned': (o) =>
    line('warn', 'snapshot warning', { snapshot: o.snapshot, warning: o.warning, text: o.message }),
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
      ms: roundedMs(o.milliseconds),
    }),
  'object-fetched': () => null,
  'object-fetch-failed': (o) =>
    o.isKnown
      ? null
      : line('error', 'the storage of the snapshots fails; clients that are loaded are still served', {
          reason: o.reason,
        }),
  'object-fetches-resumed': () => line('info', 'the storage of the snapshots works again', {}),
  'snapshot-cache-held': () => null,
  'snapshot-cache-not-written': (o) =>
    line('warn', 'the disk takes no files of shared snapshots: each is fetched whenever it is loaded', {
      reason: o.reason,
    }),
  'thread-ended': (o) =>
    line('error', 'thread ended', { group: o.group, thread: o.thread, cause: describeCause(o.cause) }),
  'history-lost': (o) =>
    o.isKnown
      ? null
      : line('error', 'runs of scripts could not be recorded', {
          executions: o.executions,
          reason: o.reason,
        }),
  'history-losses': (o) =>
    line('error', 'more runs of scripts could not be recorded', {
      executions: o.executions,
      reason: o.reason,
    }),
  'writing-failed': (o) =>
    line(
      'error',
      o.isAway
        ? 'the database of a store cannot be reached; requests that need it get 503'
        : 'cannot write; what is stored is unharmed and is still served',
      { store: o.store, reason: o.reason },
    ),
  'hold-begun': (o) =>
    line('warn', holdEffects[o.subject], { held: o.subject, since: o.at, by: o.by, reason: o.reason }),
  'refresh-held': (o) =>
    line('info', 'no refresh: refreshes are held', { since: o.at, by: o.by, reason: o.reason }),
  'hold-ended': (o) => line('info', 'resumed', { held: o.subject }),
  'writing-resumed': (o) => line('info', 'writing works again', { store: o.store }),
  'threads-limited': (o) => line('warn', 'serving with one thread', { wanted: o.wanted, reason: o.reason }),
  'refresh-started': (o) => line('info', 'refresh started', { source: o.source }),
  'refresh-published': (o) =>
    line('info', 'refresh published', {
      snapshot: o.snapshot,
      rejects: o.rejects,
      ms: roundedMs(o.milliseconds),
    }),
  'refresh-refused': (o) =>
    line('error', 'refresh refused', { source: o.source, code: o.code, reason: o.reason }),
  'history-damaged': (o) =>
    line('error', 'the history cannot be read; it was put aside and a new one begun', {
      movedTo: o.movedTo,
      reason: o.reason,
    }),
  'history-not-pruned': (o) => line('error', 'history could not be pruned', { reason: o.reason }),
  'failing-endpoints-not-told': (o) =>
    line('error', 'failing endpoints could not be looked for', { reason: o.reason }),
  'data-folder-shared': (o) =>
    line(
      'warn',
      'another service runs on this data folder, which is not supported: stop one of them, or give each a folder of its own',
      { data: o.dataFolder },
    ),
  'store-awaited': (o) =>
    line('info', 'waiting until another node has brought the tables of the database up to date', {
      database: o.database,
      node: o.holder,
    }),
  'store-upgraded': (o) =>
    line('info', 'the store was brought up to date: an older version cannot use it any more', {
      store: o.store,
      before: o.before,
      copy: o.copy,
    }),
  'scheduled-work-taken': () => line('info', 'scheduled work runs on this node', {}),
  'scheduled-work-gone': (o) =>
    o.reason === null
      ? line('info', 'scheduled work may run on another node', {})
      : line('warn', 'scheduled work no longer runs on this node', { reason: o.reason }),
  'schedule-skipped': (o) =>
    line('warn', 'missed runs of a schedule dropped', {
      endpoint: o.endpoint,
      schedule: o.schedule,
      until: o.until,
    }),
  'schedules-failed': (o) => line('error', 'schedules could not be run', { cause: describeCause(o.cause) }),
  'webhook-sent': (o) =>
    o.error === null
      ? line('debug', 'webhook delivered', { webhook: o.webhookId, status: o.status, ms: o.milliseconds })
      : line('warn', 'webhook not delivered', {
          webhook: o.webhookId,
          status: o.status,
          reason: o.error,
          ms: o.milliseconds,
        }),
  'webhook-paused': (o) => line('warn', 'webhook paused', { webhook: o.webhookId, reason: o.reason }),
  'webhook-queue-failed': (o) =>
    line('error', 'webhooks could not be delivered', { cause: describeCause(o.cause) }),
  'changes-recorded': (o) => line('info', 'changes recorded', { snapshot: o.snapshotId, clients: o.clients }),
  'changes-not-recorded': (o) =>
    line('error', 'changes could not be recorded', { cause: describeCause(o.cause) }),
  'refresh-stopped': (o) => line('info', 'refresh stopped', { source: o.source }),
  'refresh-not-recorded': (o) =>
    line('warn', 'refresh could not be recorded', { cause: describeCause(o.cause) }),
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
  // Each request and each message has a line of the run's log.
  'script-sent': () => null,
  'script-defect': (o) =>
    line('error', 'the service failed while a script ran', {
      endpoint: o.endpoint,
      executionId: o.executionId,
      cause: describeCause(o.cause),
    }),
  'authentication-failed': (o) =>
    line('warn', 'authentication failed', { requestId: o.requestId, address: o.address, routes: o.routes }),
  'authentication-failures': (o) =>
    line('warn', 'further authentication failures within a minute', {
      address: o.address ?? undefined,
      addresses: o.addresses,
      failures: o.failures,
      limited: o.limited ?? undefined,
      routes: o.routes ?? undefined,
    }),
  'keys-in-the-clear': (o) =>
    line('warn', 'keys and records travel in the clear', {
      host: o.host,
      hint: 'Put a TLS proxy in front, let the service listen only for the proxy (--host 127.0.0.1), and name the proxy in trustedProxies.',
    }),
  'setting-without-effect': (o) =>
    line('warn', 'what a setting names cannot be read; it is tried again when it is needed', {
      setting: o.setting,
      reason: o.reason,
    }),
  'secrets-sealed': (o) =>
    line('error', 'scripts cannot read secrets', {
      reason: o.reason,
      hint: 'Start the service with the key that sealed them (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder), or delete and set them again.',
    }),
  'account-refused': (o) =>
    o.fault === 'other-key'
      ? line('error', 'accounts are sealed with another secret key; their keys are refused', {
          account: o.accountId,
          hint: 'Start the service with the key of the installation (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder). If it is lost, look through the accounts, then run `tripfolio account seal --all`.',
        })
      : line('error', 'an account does not match its checksum; its key and psk are refused', {
          account: o.accountId,
          fault: o.fault,
          hint: 'Run `tripfolio store verify`. It says what to do.',
        }),
  'accounts-checked': () => line('info', 'all accounts match their checksums again', {}),
  'token-not-checked': (o) =>
    line('error', 'tokens cannot be checked; requests that need one get 503', {
      requestId: o.requestId,
      reason: o.reason,
    }),
  'token-refused': (o) =>
    line(o.inSummary ? 'debug' : 'warn', 'token refused', { requestId: o.requestId, reason: o.reason }),
  'readers-cut-off': (o) =>
    line('warn', 'answers were cut off because their readers read nothing', {
      readers: o.readers,
      seconds: o.seconds,
      reason: o.reason,
    }),
  'requests-cut-off': (o) =>
    line('error', 'requests were still being answered at the end of stopSeconds and were cut off', {
      requests: o.requests,
      seconds: o.seconds,
    }),
  'runs-lost': (o) =>
    line('warn', 'runs of scripts were lost when the service was killed, and are recorded as lost', {
      runs: o.runs,
    }),
  'run-journal-failed': (o) =>
    line(
      'error',
      'the journal of runs cannot be written: runs would leave no record if the service were killed',
      {
        reason: o.reason,
      },
    ),
  'runs-cut-off': (o) =>
    line('warn', 'runs of scripts had not ended in time and were cancelled', {
      runs: o.runs,
      seconds: o.seconds,
    }),
  // Nothing can be written at that moment; log-resumed tells the number later.
  'log-lines-dropped': () => null,
  'log-resumed': (o) =>
    line('warn', 'lines of the log were dropped because its reader did not keep up', {
      lines: o.lines,
      seconds: o.seconds,
    }),
  'service-started': (o) =>
    line('info', 'service started', {
      version: o.version,
      address: o.address,
      operatorAddress: o.operatorAddress ?? undefined,
      threads: o.threads,
      scriptThreads: o.scriptThreads,
      data: o.dataFolder,
    }),
  'service-stopping': (o) => line('info', 'service stopping', { reason: o.reason }),
  'service-stopped': (o) =>
    line(o.requestsCutOff + o.runsCutOff > 0 ? 'warn' : 'info', 'service stopped', {
      reason: o.reason,
      ms: roundedMs(o.milliseconds),
      requestsCutOff: o.requestsCutOff,
      runsCutOff: o.runsCutOff,
    }),
  'connections-open': () => null,
  'connections-refused': (o) =>
    line(
      'warn',
      'connections were refused: raise connections or connectionsPerAddress, or find the callers that open so many',
      {
        total: o.total,
        perAddress: o.perAddress,
      },
    ),
  'files-exhausted': (o) =>
    line(
      'error',
      'no more files can be opened: raise the limit (ulimit -n, LimitNOFILE) and start the service again',
      { found: o.found },
    ),
  'delivery-refused': (o) =>
    line(o.inSummary ? 'debug' : 'warn', 'delivery refused', {
      requestId: o.requestId,
      endpoint: o.endpointName,
      endpointId: o.endpointId,
      reason: o.reason,
    }),
  'rotated-signature': (o) => line('debug', 'delivery signed', { endpoint: o.endpointName, secret: o.by }),
  'signing-secret-missing': (o) =>
    line('error', 'a secret that signs deliveries is unknown, inactive or expired', {
      requestId: o.requestId,
      endpoint: o.endpointName,
      endpointId: o.endpointId,
      secret: o.secret,
    }),
}

const scriptLevels = { Debug: 'debug', Information: 'info', Warning: 'warn', Error: 'error' } as const

/** Probes and scrapes come every few seconds and would hide the other lines. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

/** The level of the line of a request. */
export function levelOf({ route, status, refusedCaller }: Answered): LogLine['level'] {
  if (probes.has(route) || refusedCaller?.inSummary) return 'debug'
  return status >= 500 ? 'warn' : 'info'
}

/**
 * Name, code, message and stack, down the chain of causes. Other members of an error are left out: a QueryProblem, for
 * example, has the filter of the caller.
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
