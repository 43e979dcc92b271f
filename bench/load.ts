/**
 * Runs one round of load on one server: some connections, each with one request after another for some seconds. Refuses a
 * round in which an answer has an unexpected status.
 */
import { askOverConnection, requestBytes } from './connection.ts'
import type { Server } from './contenders/server.ts'
import { processorTime } from './process-usage.ts'
import { percentile } from './statistics.ts'

export const CONNECTIONS = 8

export type Traffic = {
  /** The path of the next request. */
  readonly path: () => string
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
  readonly connections?: number
  /** The pause between an answer and the next request of a connection; default 0. */
  readonly pauseMs?: number
}

export type Round = {
  readonly requests: number
  /** Requests per second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Processor time of the server, microseconds per request. */
  readonly cpu: number
}

export function load(server: Server, traffic: Traffic, seconds: number): Promise<Round> {
  const deadline = performance.now() + seconds * 1000
  return loadWhile(server, traffic, () => performance.now() < deadline)
}

export async function loadWhile(server: Server, traffic: Traffic, goOn: () => boolean): Promise<Round> {
  const { path, headers, status = 200, connections = CONNECTIONS, pauseMs } = traffic
  const times: number[] = []
  const next = () => (goOn() ? requestBytes(path(), headers) : null)
  const answered = (given: number, milliseconds: number) => {
    if (given !== status) throw new Error(`Expected status ${status} from ${server.name}, found ${given}`)
    times.push(milliseconds)
  }
  const asked = { next, answered, ...(pauseMs === undefined ? {} : { pauseMs }) }
  const began = performance.now()
  const spentBefore = processorTime(server.pids)
  await Promise.all(Array.from({ length: connections }, () => askOverConnection(server.address, asked)))
  const spent = processorTime(server.pids) - spentBefore
  return {
    requests: times.length,
    rate: times.length / ((performance.now() - began) / 1000),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    worst: percentile(times, 1),
    cpu: spent / times.length,
  }
}
