/** What is counted and timed of requests, by every thread that answers them. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'
import { durationHistogram } from './duration-histogram.ts'
import type { Recorders } from './recorders.ts'

export const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** How often it is looked whether the event loop turns; part of what is measured. */
const TURN_RESOLUTION_MS = 10

const stageSeconds = [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]

export function requestRecorders(registry: Registry) {
  const registers = [registry]
  const requests = durationHistogram(registry, {
    name: 'tripfolio_http_request_duration_seconds',
    help: 'Requests by method, route pattern and status, from arrival to the last byte handed over.',
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
    help: 'Requests whose caller went away before the last byte.',
    labelNames: ['route'],
    registers,
  })
  const failures = new Counter({
    name: 'tripfolio_http_request_failures_total',
    help: 'Requests that failed on our side; each has an error line in the log.',
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
  const turns = monitorEventLoopDelay({ resolution: TURN_RESOLUTION_MS })
  turns.enable()
  new Gauge({
    name: 'tripfolio_longest_turn_seconds',
    help: 'Longest that anything has held the event loop of a thread that answers requests, since the last look.',
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
    },
    'request-failed': () => failures.inc(),
    'stage-timed': (o) => stages.observe(o.stage, o.milliseconds / 1000),
    'key-rotated': () => rotations.inc(),
    'token-refused': () => refusals.inc({ credential: 'token' }),
    'delivery-refused': () => refusals.inc({ credential: 'signature' }),
    'signing-secret-missing': () => undefined,
    'script-logged': () => undefined,
    'script-failed': () => scriptFailures.inc(),
    'script-defect': () => scriptDefects.inc(),
  } satisfies Partial<Recorders>
}
