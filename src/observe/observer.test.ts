import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createLogger, type LogLevel } from './logger.ts'
import { createRequestMetrics, metricsText } from './metrics.ts'
import type { Observation } from './observation.ts'
import { createObserver } from './observer.ts'
import { createMetrics } from './service-metrics.ts'

const answered: Extract<Observation, { kind: 'request-answered' }> = {
  kind: 'request-answered',
  requestId: 'r-1',
  method: 'GET',
  route: '/api/v2/bookings',
  status: 200,
  milliseconds: 1.23456,
  bytes: 30_000,
  accountId: 'a-7',
  clientNumber: 'C01234',
  address: '192.0.2.7',
  problem: undefined,
  aborted: false,
}
const run = { executionId: 'e-1', endpoint: 'Report' }
const extractedAt = new Date('2026-01-02T03:04:05Z')

/** A destination that adds each line to the list. */
const linesTo = (lines: string[]) => ({
  write: (text: string) => {
    assert.ok(text.endsWith('\n'))
    lines.push(...text.split('\n').slice(0, -1))
  },
})

/** The log lines of observations, without their time. */
function logged(level: LogLevel, ...observations: Observation[]): Record<string, unknown>[] {
  const lines: string[] = []
  const logger = createLogger({ level, format: 'json', destination: linesTo(lines) })
  const observe = createObserver({ logger, metrics: createMetrics() })
  for (const observation of observations) observe(observation)
  observe({
    kind: 'refresh-refused',
    source: 'the end',
    code: 'ING101',
    reason: 'flushes the batch',
  })
  return lines.slice(0, -1).map((line) => {
    const { time, ...members } = JSON.parse(line)
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    return members
  })
}

describe('the log', () => {
  const lines: readonly (readonly [Observation, Record<string, unknown>])[] = [
    [
      answered,
      {
        level: 'info',
        requestId: 'r-1',
        method: 'GET',
        route: '/api/v2/bookings',
        status: 200,
        ms: 1.235,
        bytes: 30_000,
        account: 'a-7',
        client: 'C01234',
        address: '192.0.2.7',
        msg: 'request',
      },
    ],
    [
      {
        ...answered,
        status: 503,
        accountId: undefined,
        clientNumber: undefined,
        problem: 'SNP301',
        aborted: true,
      },
      {
        level: 'warn',
        requestId: 'r-1',
        method: 'GET',
        route: '/api/v2/bookings',
        status: 503,
        ms: 1.235,
        bytes: 30_000,
        address: '192.0.2.7',
        problem: 'SNP301',
        aborted: true,
        msg: 'request',
      },
    ],
    [
      { kind: 'snapshot-announced', snapshot: 's-1', clients: 7, bytes: 700, extractedAt },
      {
        level: 'info',
        snapshot: 's-1',
        clients: 7,
        bytes: 700,
        extractedAt: extractedAt.toISOString(),
        msg: 'snapshot announced',
      },
    ],
    [
      { kind: 'snapshot-skipped', snapshot: 's-1', reason: 'r' },
      { level: 'warn', snapshot: 's-1', reason: 'r', msg: 'snapshot skipped' },
    ],
    [
      { kind: 'writing-failed', store: 'history', reason: 'r' },
      {
        level: 'error',
        store: 'history',
        reason: 'r',
        msg: 'cannot write; what is stored is unharmed and is still served',
      },
    ],
    [
      { kind: 'history-losses', executions: 7, reason: 'r' },
      { level: 'error', executions: 7, reason: 'r', msg: 'more runs of scripts could not be recorded' },
    ],
    [
      { kind: 'writing-resumed', store: 'history' },
      { level: 'info', store: 'history', msg: 'writing works again' },
    ],
    [
      { kind: 'snapshot-damaged', snapshot: 's-1', file: 'f', reason: 'r' },
      { level: 'error', snapshot: 's-1', file: 'f', reason: 'r', msg: 'snapshot damaged' },
    ],
    [
      { kind: 'budget-exceeded', clientNumber: 'C1', stored: 'bookings', bytes: 5, budget: 4 },
      {
        level: 'warn',
        client: 'C1',
        stored: 'bookings',
        bytes: 5,
        budget: 4,
        msg: 'a file alone exceeds memoryBudget: while it is in use, nothing else stays loaded',
      },
    ],
    [
      {
        kind: 'service-started',
        version: '1.2.3',
        address: 'http://127.0.0.1:8080',
        operatorAddress: null,
        threads: 4,
        scriptThreads: 2,
        dataFolder: '/data',
      },
      {
        level: 'info',
        version: '1.2.3',
        address: 'http://127.0.0.1:8080',
        threads: 4,
        scriptThreads: 2,
        data: '/data',
        msg: 'service started',
      },
    ],
    [
      { kind: 'data-folder-shared', dataFolder: '/data' },
      {
        level: 'warn',
        data: '/data',
        msg: 'another service runs on this data folder, which is not supported: stop one of them, or give each a folder of its own',
      },
    ],
    [
      { kind: 'store-upgraded', store: '/data/control.db', before: '0001-accounts', copy: '/data/copy' },
      {
        level: 'info',
        store: '/data/control.db',
        before: '0001-accounts',
        copy: '/data/copy',
        msg: 'the store was brought up to date: an older version cannot use it any more',
      },
    ],
    [
      { kind: 'store-awaited', database: 'db.example:5432/trips', holder: 'node-a:4711' },
      {
        level: 'info',
        database: 'db.example:5432/trips',
        node: 'node-a:4711',
        msg: 'waiting until another node has brought the tables of the database up to date',
      },
    ],
    [
      { kind: 'service-stopping', reason: 'SIGTERM' },
      { level: 'info', reason: 'SIGTERM', msg: 'service stopping' },
    ],
    ...([0, 1] as const).map(
      (runsCutOff) =>
        [
          { kind: 'service-stopped', reason: 'SIGTERM', milliseconds: 7, requestsCutOff: 0, runsCutOff },
          {
            level: runsCutOff === 0 ? 'info' : 'warn',
            reason: 'SIGTERM',
            ms: 7,
            requestsCutOff: 0,
            runsCutOff,
            msg: 'service stopped',
          },
        ] as const,
    ),
    [
      { kind: 'runs-cut-off', runs: 2, seconds: 5 },
      { level: 'warn', runs: 2, seconds: 5, msg: 'runs of scripts had not ended in time and were cancelled' },
    ],
    [
      { kind: 'log-resumed', lines: 900, seconds: 60 },
      {
        level: 'warn',
        lines: 900,
        seconds: 60,
        msg: 'lines of the log were dropped because its reader did not keep up',
      },
    ],
    [
      { kind: 'threads-limited', wanted: 4, reason: 'r' },
      { level: 'warn', wanted: 4, reason: 'r', msg: 'serving with one thread' },
    ],
    [
      { kind: 'thread-ended', group: 'api', thread: 2, cause: null },
      { level: 'error', group: 'api', thread: 2, cause: { message: 'a thrown object' }, msg: 'thread ended' },
    ],
    [
      { kind: 'snapshot-warned', snapshot: 's-1', warning: 'clients-emptied', message: 'm', clients: 2 },
      { level: 'warn', snapshot: 's-1', warning: 'clients-emptied', text: 'm', msg: 'snapshot warning' },
    ],
    [
      { kind: 'refresh-started', source: '/extract' },
      { level: 'info', source: '/extract', msg: 'refresh started' },
    ],
    [
      { kind: 'refresh-published', snapshot: 's-2', rejects: 3, milliseconds: 1000 },
      { level: 'info', snapshot: 's-2', rejects: 3, ms: 1000, msg: 'refresh published' },
    ],
    [
      { kind: 'refresh-refused', source: '/extract', code: 'ING101', reason: 'r' },
      { level: 'error', source: '/extract', code: 'ING101', reason: 'r', msg: 'refresh refused' },
    ],
    [
      { kind: 'key-rotated', accountId: 'a-1' },
      { level: 'info', account: 'a-1', msg: 'key rotated' },
    ],
    ...(
      [
        ['Information', 'info'],
        ['Warning', 'warn'],
        ['Error', 'error'],
      ] as const
    ).map(
      ([written, level]) =>
        [
          { kind: 'script-logged', ...run, level: written, message: 'm', loggedAt: 't' },
          { level, ...run, loggedAt: 't', text: 'm', msg: 'script' },
        ] as const,
    ),
    [
      { kind: 'script-failed', ...run, code: 'JM5004', message: 'm', line: 3 },
      { level: 'warn', ...run, code: 'JM5004', line: 3, reason: 'm', msg: 'script failed' },
    ],
    [
      { kind: 'script-failed', ...run, code: 'END120', message: 'm', line: null },
      { level: 'warn', ...run, code: 'END120', reason: 'm', msg: 'script failed' },
    ],
    [
      { kind: 'script-defect', ...run, cause: null },
      {
        level: 'error',
        ...run,
        cause: { message: 'a thrown object' },
        msg: 'the service failed while a script ran',
      },
    ],
    [
      { kind: 'token-refused', requestId: 'r-1', reason: 'r', inSummary: false },
      { level: 'warn', requestId: 'r-1', reason: 'r', msg: 'token refused' },
    ],
    [
      {
        kind: 'delivery-refused',
        requestId: 'r-1',
        endpointId: 'e-1',
        endpointName: 'Hook',
        reason: 'r',
        inSummary: false,
      },
      {
        level: 'warn',
        requestId: 'r-1',
        endpoint: 'Hook',
        endpointId: 'e-1',
        reason: 'r',
        msg: 'delivery refused',
      },
    ],
    [
      { kind: 'authentication-failed', requestId: 'r-1', address: '192.0.2.1', routes: 'v2' },
      { level: 'warn', requestId: 'r-1', address: '192.0.2.1', routes: 'v2', msg: 'authentication failed' },
    ],
    [
      {
        kind: 'authentication-failures',
        address: '192.0.2.1',
        addresses: 1,
        failures: 500,
        limited: 480,
        routes: ['v2', 'v1'],
      },
      {
        level: 'warn',
        address: '192.0.2.1',
        addresses: 1,
        failures: 500,
        limited: 480,
        routes: ['v2', 'v1'],
        msg: 'further authentication failures within a minute',
      },
    ],
    [
      {
        kind: 'authentication-failures',
        address: null,
        addresses: 7,
        failures: 9,
        limited: null,
        routes: null,
      },
      { level: 'warn', addresses: 7, failures: 9, msg: 'further authentication failures within a minute' },
    ],
    [
      { kind: 'setting-without-effect', setting: 'source', reason: 'r' },
      {
        level: 'warn',
        setting: 'source',
        reason: 'r',
        msg: 'what a setting names cannot be read; it is tried again when it is needed',
      },
    ],
    [
      { kind: 'keys-in-the-clear', host: '0.0.0.0' },
      {
        level: 'warn',
        host: '0.0.0.0',
        hint: 'Put a TLS proxy in front, let the service listen only for the proxy (--host 127.0.0.1), and name the proxy in trustedProxies.',
        msg: 'keys and records travel in the clear',
      },
    ],
    [
      { kind: 'account-refused', accountId: 'a1', fault: 'altered' },
      {
        level: 'error',
        account: 'a1',
        fault: 'altered',
        hint: 'Run `tripfolio store verify`. It says what to do.',
        msg: 'an account does not match its checksum; its key and psk are refused',
      },
    ],
    [
      { kind: 'account-refused', accountId: 'a1', fault: 'other-key' },
      {
        level: 'error',
        account: 'a1',
        hint: 'Start the service with the key of the installation (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder). If it is lost, look through the accounts, then run `tripfolio account seal --all`.',
        msg: 'accounts are sealed with another secret key; their keys are refused',
      },
    ],
    [
      { kind: 'accounts-checked', refused: [], isOfOtherKey: false },
      { level: 'info', msg: 'all accounts match their checksums again' },
    ],
    [
      { kind: 'secrets-sealed', reason: 'it was sealed with another key' },
      {
        level: 'error',
        reason: 'it was sealed with another key',
        hint: 'Start the service with the key that sealed them (TRIPFOLIO_SECRET_KEY, or secret.key in the data folder), or delete and set them again.',
        msg: 'scripts cannot read secrets',
      },
    ],
    [
      {
        kind: 'signing-secret-missing',
        requestId: 'r-1',
        endpointId: 'e-1',
        endpointName: 'Hook',
        secret: 'signing',
      },
      {
        level: 'error',
        requestId: 'r-1',
        endpoint: 'Hook',
        endpointId: 'e-1',
        secret: 'signing',
        msg: 'a secret that signs deliveries is unknown, inactive or expired',
      },
    ],
  ]
  for (const [observation, line] of lines) {
    it(`has a line for ${observation.kind}: ${line.level} ${line.msg}`, () => {
      assert.deepEqual(logged('info', observation), [line])
    })
  }

  it('logs refused callers only at debug when a summary reports them', () => {
    const inSummary: readonly Observation[] = [
      { ...answered, status: 429, problem: 'SRV132', refusedCaller: { routes: 'v2', inSummary: true } },
      { kind: 'token-refused', requestId: 'r-1', reason: 'r', inSummary: true },
      {
        kind: 'delivery-refused',
        requestId: 'r-1',
        endpointId: 'e-1',
        endpointName: 'Hook',
        reason: 'r',
        inSummary: true,
      },
    ]
    assert.deepEqual(logged('info', ...inSummary), [])
    assert.deepEqual(
      logged('debug', ...inSummary).map(({ level }) => level),
      ['debug', 'debug', 'debug'],
    )
    const single = { ...answered, status: 401, refusedCaller: { routes: 'v2', inSummary: false } } as const
    assert.equal(logged('info', single)[0]?.level, 'info')
  })

  it('has the lines in the order of the events, requests included', () => {
    const order = logged('info', answered, { kind: 'key-rotated', accountId: 'a-1' }, answered)
    assert.deepEqual(
      order.map(({ msg }) => msg),
      ['request', 'key rotated', 'request'],
    )
  })

  it('has every request after a short time, however many there are', async () => {
    const lines: string[] = []
    const logger = createLogger({
      level: 'info',
      format: 'json',
      destination: linesTo(lines),
    })
    const observe = createObserver({ logger, metrics: createMetrics() })
    for (let request = 0; request < 2500; request++) observe({ ...answered, requestId: String(request) })
    while (lines.length < 2500) await setTimeout(1)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).requestId),
      lines.map((_line, request) => String(request)),
    )
  })

  it('has one line for all requests that were refused because of load', () => {
    const refused = { account: 900, queue: 4, late: 0 }
    const [line] = logged('info', { kind: 'requests-shed', refused, seconds: 10 })
    assert.deepEqual([line?.level, line?.account, line?.queue, line?.seconds], ['warn', 900, 4, 10])
  })

  it('has probes, partition loads and debug lines of scripts at debug only, and no measurements', () => {
    const quiet: readonly Observation[] = [
      { kind: 'script-logged', ...run, level: 'Debug', message: 'm', loggedAt: 't' },
      ...['/livez', '/readyz', '/metrics'].map((route) => ({ ...answered, route })),
      {
        kind: 'partition-loaded',
        snapshot: 's-1',
        clientNumber: 'C',
        stored: 'bookings',
        bytes: 1,
        milliseconds: 1,
      },
      { kind: 'stage-timed', stage: 'parse', milliseconds: 1 },
      {
        kind: 'load-measured',
        running: 1,
        waiting: 1,
        eventLoopDelayMs: 1,
        refused: { account: 1, queue: 0, late: 0 },
      },
    ]
    assert.deepEqual(logged('info', ...quiet), [])
    assert.equal(logged('debug', ...quiet).length, 5)
  })

  it('has a defect with its causes, and no other members of an error', () => {
    const cause = Object.assign(new TypeError('inner'), { input: 'TRAVELLER-SECRET', code: 'E_INNER' })
    const defect = new Error('outer', { cause })
    const [line] = logged('info', { kind: 'request-failed', requestId: 'r-1', cause: defect })
    assert.doesNotMatch(JSON.stringify(line), /SECRET/)
    const told = line?.cause as { message: string; stack: string; cause: { name: string; code: string } }
    assert.equal(told.message, 'outer')
    assert.match(told.stack, /observer\.test\.ts/)
    assert.deepEqual([told.cause.name, told.cause.code], ['TypeError', 'E_INNER'])
  })

  it('accepts causes that are not errors, and circles of causes', () => {
    const circle = new Error('circle')
    circle.cause = circle
    const lines = logged(
      'info',
      { kind: 'request-failed', requestId: 'r-1', cause: 'SECRET' },
      { kind: 'request-failed', requestId: 'r-2', cause: circle },
    )
    assert.deepEqual(lines[0]?.cause, { message: 'a thrown string' })
    assert.equal(lines.length, 2)
  })

  it('is readable for a person in the pretty format', () => {
    let text = ''
    const destination = {
      write: (line: string) => {
        text += line
      },
    }
    createLogger({ level: 'info', format: 'pretty', destination }).write([
      { kind: 'snapshot-announced', snapshot: 's-1', clients: 7, bytes: 1, extractedAt },
      answered,
    ])
    const [announced, request, ...none] = text.split('\n')
    assert.match(announced ?? '', /INFO: snapshot announced \{"snapshot":"s-1"/)
    assert.match(request ?? '', /INFO: request \{"requestId":"r-1".*"address":"192\.0\.2\.7"\}/)
    assert.deepEqual(none, [''])
  })
})

describe('the metrics', () => {
  it('count and time observations', async () => {
    const { record, values } = createMetrics()
    const text = async () => metricsText([await values()])
    const observations: readonly Observation[] = [
      answered,
      { ...answered, milliseconds: 700, aborted: true },
      { ...answered, status: 400, bytes: 0 },
      { kind: 'request-failed', requestId: 'r-1', cause: null },
      { kind: 'stage-timed', stage: 'execute', milliseconds: 0.2 },
      { kind: 'snapshot-announced', snapshot: 's-1', clients: 7, bytes: 700, extractedAt },
      { kind: 'snapshot-warned', snapshot: 's-1', warning: 'table-shrunk', message: 'm', clients: 0 },
      { kind: 'snapshot-announced', snapshot: 's-2', clients: 8, bytes: 800, extractedAt },
      { kind: 'snapshot-warned', snapshot: 's-2', warning: 'clients-emptied', message: 'm', clients: 2 },
      { kind: 'snapshot-damaged', snapshot: 's-1', file: 'f', reason: 'r' },
      { kind: 'log-lines-dropped', lines: 7 },
      { kind: 'log-lines-dropped', lines: 2 },
      {
        kind: 'partition-loaded',
        snapshot: 's-1',
        clientNumber: 'C01234',
        stored: 'bookings',
        bytes: 5,
        milliseconds: 1,
      },
      { kind: 'refresh-started', source: 's' },
      { kind: 'refresh-published', snapshot: 's-1', rejects: 3, milliseconds: 2000 },
      { kind: 'refresh-started', source: 's' },
      { kind: 'refresh-refused', source: 's', code: 'ING101', reason: 'r' },
      { kind: 'key-rotated', accountId: 'a-1' },
      { kind: 'script-failed', ...run, code: 'JM5004', message: 'm', line: 3 },
      {
        ...{ kind: 'script-sent', ...run, sent: { httpSentBytes: 5, httpReadBytes: 60 } },
        httpOutcomes: new Map([
          ['2xx', 2],
          ['failed', 1],
        ]),
        mailOutcomes: new Map([['sent', 1]]),
      },
      { kind: 'script-defect', ...run, cause: null },
      { kind: 'rotated-signature', endpointName: 'Hook', by: 'previous' },
      { kind: 'thread-ended', group: 'script', thread: 1, cause: null },
      { kind: 'token-refused', requestId: 'r-1', reason: 'r', inSummary: false },
      {
        kind: 'delivery-refused',
        requestId: 'r-1',
        endpointId: 'e-1',
        endpointName: 'Hook',
        reason: 'r',
        inSummary: false,
      },
      { ...answered, status: 401, bytes: 0, refusedCaller: { routes: 'v1', inSummary: false } },
      { ...answered, status: 429, bytes: 0, refusedCaller: { routes: 'v1', inSummary: true } },
      { ...answered, status: 429, bytes: 0, refusedCaller: { routes: 'v1', inSummary: true } },
    ]
    for (const observation of observations) record(observation)
    const lines = new Set((await text()).split('\n'))
    const ok = 'method="GET",route="/api/v2/bookings",status="200"'
    const expected = [
      'tripfolio_rotated_signatures_total{endpoint="Hook",secret="previous"} 1',
      '# TYPE tripfolio_http_request_duration_seconds histogram',
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="0.001"} 0`,
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="0.0025"} 1`,
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="0.5"} 1`,
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="1"} 2`,
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="+Inf"} 2`,
      `tripfolio_http_request_duration_seconds_count{${ok}} 2`,
      `tripfolio_http_request_duration_seconds_count{${ok.replace('200', '400')}} 1`,
      'tripfolio_http_response_bytes_total{route="/api/v2/bookings"} 60000',
      'tripfolio_http_requests_aborted_total{route="/api/v2/bookings"} 1',
      'tripfolio_http_request_failures_total 1',
      'tripfolio_stage_duration_seconds_bucket{stage="execute",le="0.0005"} 1',
      'tripfolio_snapshot_info{snapshot="s-2"} 1',
      'tripfolio_snapshot_clients 8',
      'tripfolio_snapshot_bytes{snapshot="s-2"} 800',
      'tripfolio_snapshot_warnings{warning="clients-emptied"} 1',
      'tripfolio_snapshot_emptied_clients 2',
      'tripfolio_snapshot_damaged_files_total 1',
      'tripfolio_log_lines_dropped_total 9',
      'tripfolio_partition_loaded_bytes_total{stored="bookings"} 5',
      'tripfolio_refreshes_total{outcome="published"} 1',
      'tripfolio_refreshes_total{outcome="refused"} 1',
      'tripfolio_refresh_running 0',
      'tripfolio_refresh_rejects 3',
      'tripfolio_key_rotations_total 1',
      'tripfolio_script_failures_total 1',
      'tripfolio_script_http_requests_total{outcome="2xx"} 2',
      'tripfolio_script_http_requests_total{outcome="failed"} 1',
      'tripfolio_script_http_bytes_total{direction="read"} 60',
      'tripfolio_script_mails_total{outcome="sent"} 1',
      'tripfolio_script_defects_total 1',
      'tripfolio_threads_ended_total 1',
      'tripfolio_credentials_refused_total{credential="token"} 1',
      'tripfolio_credentials_refused_total{credential="signature"} 1',
      'tripfolio_authentication_failures_total{routes="v1",status="401"} 1',
      'tripfolio_authentication_failures_total{routes="v1",status="429"} 2',
    ]
    for (const line of expected) assert.ok(lines.has(line), line)
    assert.equal(
      [...lines].some((line) => line.includes('s-1') || line.includes('C01234')),
      false,
    )
  })

  it('have the load of the threads: the sum of their requests, and the largest delay', async () => {
    const threads = [createRequestMetrics(), createRequestMetrics()]
    for (const [i, { record }] of threads.entries()) {
      const refused = { account: i, queue: 0, late: 2 }
      const load = { running: 3, waiting: 10 * i, eventLoopDelayMs: 250 * i, refused }
      record({ kind: 'load-measured', ...load, running: 1 })
      record({ kind: 'load-measured', ...load })
    }
    const values = await Promise.all(threads.map((metrics) => metrics.values()))
    const lines = new Set((await metricsText(structuredClone(values))).split('\n'))
    const expected = [
      'tripfolio_requests_computing 6',
      'tripfolio_requests_queued 10',
      'tripfolio_event_loop_delay_seconds 0.25',
      'tripfolio_requests_shed_total{reason="account"} 2',
      'tripfolio_requests_shed_total{reason="queue"} 0',
      'tripfolio_requests_shed_total{reason="late"} 8',
    ]
    for (const line of expected) assert.ok(lines.has(line), line)
  })

  it('have the runs of scripts as they were counted last', async () => {
    const { record, values } = createMetrics()
    record({ kind: 'runs-counted', queued: 9, working: 9, away: 9 })
    record({ kind: 'runs-counted', queued: 3, working: 2, away: 1 })
    const lines = new Set((await metricsText([await values()])).split('\n'))
    for (const [name, value] of Object.entries({ queued: 3, running: 2, waiting: 1 })) {
      assert.ok(lines.has(`tripfolio_script_runs_${name} ${value}`), name)
    }
  })

  it('have the age of the snapshot since the time of its extract', async () => {
    const { record, values } = createMetrics()
    const text = async () => metricsText([await values()])
    assert.match(await text(), /tripfolio_snapshot_age_seconds Nan/)
    record({
      kind: 'snapshot-announced',
      snapshot: 's-1',
      clients: 1,
      bytes: 100,
      extractedAt: new Date(Date.now() - 60_000),
    })
    assert.match(await text(), /tripfolio_snapshot_age_seconds 6[0-9]\b/)
  })

  it('of two servers in one process are separate', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.record({ kind: 'key-rotated', accountId: 'a-1' })
    assert.match(await metricsText([await other.values()]), /tripfolio_key_rotations_total 0/)
  })

  it('of several threads are added up, and a metric of one thread stays the same', async () => {
    const [whole, ...threads] = [createMetrics(), createRequestMetrics(), createRequestMetrics()]
    const announced = {
      kind: 'snapshot-announced',
      snapshot: 's-1',
      clients: 7,
      bytes: 700,
      extractedAt,
    } as const
    whole.record(announced)
    for (const thread of threads) {
      thread.record(announced)
      thread.record(answered)
      thread.record({ kind: 'key-rotated', accountId: 'a-1' })
    }
    const values = await Promise.all([whole, ...threads].map((metrics) => metrics.values()))
    const lines = new Set((await metricsText(structuredClone(values))).split('\n'))
    const ok = 'method="GET",route="/api/v2/bookings",status="200"'
    const expected = [
      `tripfolio_http_request_duration_seconds_bucket{${ok},le="+Inf"} 2`,
      `tripfolio_http_request_duration_seconds_count{${ok}} 2`,
      'tripfolio_http_response_bytes_total{route="/api/v2/bookings"} 60000',
      'tripfolio_key_rotations_total 2',
      'tripfolio_snapshot_clients 7',
    ]
    for (const line of expected) assert.ok(lines.has(line), line)
  })

  it('are text of the exposition format, line by line', async () => {
    const { record, values } = createMetrics()
    const text = async () => metricsText([await values()])
    record(answered)
    const form = /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[0-9.e+-]+|\w+ Nan|)$/
    for (const line of (await text()).split('\n')) assert.match(line, form)
  })
})
