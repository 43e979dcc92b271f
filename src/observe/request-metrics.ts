/** Metrics of requests and scripts, in every thread that serves requests. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import { durationHistogram } from './duration-histogram.ts'
import type { Recorders } from './observation.ts'
import { Counter, Gauge } from './prometheus.ts'
import { REQUEST_SECONDS, requestSeconds } from './request-counts.ts'

/** Interval of the timer that measures turns of the event loop; the measured values include it. */
const TURN_RESOLUTION_MS = 10

const stageSeconds = [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]

export function requestRecorders(registry: Registry) {
  const registers = [registry]
  const requests = durationHistogram(registry, {
    name: REQUEST_SECONDS,
    help: 'Duration of requests by method, route pattern and status, from arrival to the last byte written.',
    bounds: requestSeconds,
    labelsOf: (key) => {
      const [method = '', route = '', status = ''] = key.split(' ')
      return { method, route, status }
    },
  })
  const stages = durationHistogram(registry, {
    name: 'tripfolio_stage_duration_seconds',
    help: 'Time spent in each stage of an answer.',
    bounds: stageSeconds,
    labelsOf: (stage) => ({ stage }),
  })
  const bytes = new Counter({
    name: 'tripfolio_http_response_bytes_total',
    help: 'Bytes of response bodies by route pattern.',
    labelNames: ['route'],
    registers,
  })
  const aborted = new Counter({
    name: 'tripfolio_http_requests_aborted_total',
    help: 'Requests whose caller disconnected before the last byte.',
    labelNames: ['route'],
    registers,
  })
  const failures = new Counter({
    name: 'tripfolio_http_request_failures_total',
    help: 'Requests that failed because of the service; each has an error line in the log.',
    registers,
  })
  const rotations = new Counter({
    name: 'tripfolio_key_rotations_total',
    help: 'API keys rotated by their owners.',
    registers,
  })
  const refusals = new Counter({
    name: 'tripfolio_credentials_refused_total',
    help: 'Tokens of callers and signatures of deliveries that were not accepted.',
    labelNames: ['credential'],
    registers,
  })
  const notChecked = new Counter({
    name: 'tripfolio_tokens_not_checked_total',
    help: 'Requests answered with 503 because the keys that check tokens could not be read.',
    registers,
  })
  const signatures = new Counter({
    name: 'tripfolio_rotated_signatures_total',
    help: 'Deliveries to endpoints that accept two secrets, by the secret that signed: current, or previous.',
    labelNames: ['endpoint', 'secret'],
    registers,
  })
  const authenticationFailures = new Counter({
    name: 'tripfolio_authentication_failures_total',
    help: 'Requests without a valid credential, by family of routes and by status: 401, or 429 for an address that failed too often.',
    labelNames: ['routes', 'status'],
    registers,
  })
  const connections = new Gauge({
    name: 'tripfolio_connections',
    help: 'Open connections, as of a second ago.',
    registers,
  })
  const connectionsRefused = new Counter({
    name: 'tripfolio_connections_refused_total',
    help: 'Connections on which only probes were answered, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
  })
  const readersCutOff = new Counter({
    name: 'tripfolio_readers_cut_off_total',
    help: 'Answers that were cut off because their readers read nothing.',
    labelNames: ['reason'],
    registers,
  })
  const scriptFailures = new Counter({
    name: 'tripfolio_script_failures_total',
    help: 'Runs of scripts that failed.',
    registers,
  })
  const scriptDefects = new Counter({
    name: 'tripfolio_script_defects_total',
    help: 'Failures of the service itself while a script ran; each has an error line in the log.',
    registers,
  })
  const scriptRequests = new Counter({
    name: 'tripfolio_script_http_requests_total',
    help: 'HTTP requests that scripts sent, by the class of the status, or `failed` without an answer.',
    labelNames: ['outcome'],
    registers,
  })
  const scriptBytes = new Counter({
    name: 'tripfolio_script_http_bytes_total',
    help: 'Bytes of bodies that the HTTP requests of scripts sent and read.',
    labelNames: ['direction'],
    registers,
  })
  const scriptMails = new Counter({
    name: 'tripfolio_script_mails_total',
    help: 'Mail that scripts sent, by whether the mail server took it.',
    labelNames: ['outcome'],
    registers,
  })
  const shed = new Counter({
    name: 'tripfolio_requests_shed_total',
    help: 'Requests refused because of load: their account used all of its share, other accounts used the slots, or the event loop was late.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['account', 'queue', 'late']) shed.inc({ reason }, 0)
  const computed = new Gauge({
    name: 'tripfolio_requests_computing',
    help: 'Requests for records that are being computed.',
    registers,
  })
  const queued = new Gauge({
    name: 'tripfolio_requests_queued',
    help: 'Requests for records that wait for their turn.',
    registers,
  })
  const delay = new Gauge({
    name: 'tripfolio_event_loop_delay_seconds',
    help: 'Lasting delay of the event loop, of the thread with the largest delay.',
    aggregator: 'max',
    registers,
  })
  const turns = monitorEventLoopDelay({ resolution: TURN_RESOLUTION_MS })
  turns.enable()
  new Gauge({
    name: 'tripfolio_longest_turn_seconds',
    help: 'Longest turn of the event loop of a thread that serves requests, since the last scrape.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(Math.max(0, turns.max / 1e9 - TURN_RESOLUTION_MS / 1000))
      turns.reset()
    },
  })
  return {
    'request-answered': (o) => {
      requests.observe(`${o.method} ${o.route} ${o.status}`, o.milliseconds / 1000)
      if (o.bytes > 0) bytes.inc({ route: o.route }, o.bytes)
      if (o.aborted) aborted.inc({ route: o.route })
      const { refusedCaller, status } = o
      if (refusedCaller !== undefined) authenticationFailures.inc({ routes: refusedCaller.routes, status })
    },
    'request-failed': () => failures.inc(),
    'stage-timed': (o) => stages.observe(o.stage, o.milliseconds / 1000),
    'load-measured': (o) => {
      computed.set(o.running)
      queued.set(o.waiting)
      delay.set(o.eventLoopDelayMs / 1000)
      for (const [reason, count] of Object.entries(o.refused)) if (count > 0) shed.inc({ reason }, count)
    },
    'requests-shed': () => undefined,
    'key-rotated': () => rotations.inc(),
    'token-not-checked': () => notChecked.inc(),
    'token-refused': () => refusals.inc({ credential: 'token' }),
    'delivery-refused': () => refusals.inc({ credential: 'signature' }),
    'authentication-failed': () => undefined,
    'authentication-failures': () => undefined,
    'readers-cut-off': ({ readers, reason }) => readersCutOff.inc({ reason }, readers),
    'connections-open': (o) => connections.set(o.connections),
    'connections-refused': (o) => {
      connectionsRefused.inc({ limit: 'connections' }, o.total)
      connectionsRefused.inc({ limit: 'connectionsPerAddress' }, o.perAddress)
    },
    'signing-secret-missing': () => undefined,
    'rotated-signature': ({ endpointName, by }) => signatures.inc({ endpoint: endpointName, secret: by }),
    'script-logged': () => undefined,
    'script-failed': () => scriptFailures.inc(),
    'script-sent': ({ sent, httpOutcomes, mailOutcomes }) => {
      for (const [outcome, requests] of httpOutcomes) scriptRequests.inc({ outcome }, requests)
      for (const [outcome, mails] of mailOutcomes) scriptMails.inc({ outcome }, mails)
      scriptBytes.inc({ direction: 'sent' }, sent.httpSentBytes)
      scriptBytes.inc({ direction: 'read' }, sent.httpReadBytes)
    },
    'script-defect': () => scriptDefects.inc(),
  } satisfies Partial<Recorders>
}
