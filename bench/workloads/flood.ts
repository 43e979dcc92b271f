/**
 * Sends heavy requests of one account over many connections, none of them twice, and ignores Retry-After. Runs in a process
 * of its own, so that its work does not count as work of the measuring process. Reads `Flood` as JSON from stdin, and on
 * SIGTERM writes its answers' statuses and times as a line of JSON.
 */
import { json } from 'node:stream/consumers'
import { askOverConnection, requestBytes } from '../connection.ts'
import { freshAny, freshContains, freshFilterAndSort, freshLines, type Question } from '../questions.ts'
import { percentile } from '../statistics.ts'

export type Flood = {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
}

export type FloodAnswers = {
  readonly seconds: number
  /** For each status, the number of answers and their times in milliseconds. */
  readonly statuses: Readonly<
    Record<string, { readonly count: number; readonly p50: number; readonly p99: number }>
  >
}

const questions: readonly Question[] = [freshFilterAndSort, freshAny, freshContains, freshLines(20)]
let asked = 0

const { address, headers, connections } = (await json(process.stdin)) as Flood
let isOver = false
let began = Number.NaN
const times = new Map<number, number[]>()
process.once('SIGTERM', () => {
  isOver = true
})
process.stdout.write(`flooding ${address}\n`)
const asking = {
  next: () => (isOver ? null : requestBytes((questions[asked++ % questions.length] as Question)(), headers)),
  answered: (status: number, milliseconds: number) => {
    // The first second, in which all connections begin, is left out.
    if (Number.isNaN(began)) began = performance.now() + 1000
    if (performance.now() < began) return
    const ofStatus = times.get(status) ?? []
    ofStatus.push(milliseconds)
    times.set(status, ofStatus)
  },
}
const flooding = Array.from({ length: connections }, () => askOverConnection(address, asking))
await Promise.all(flooding)
const statuses = [...times].map(([status, taken]) => [
  status,
  { count: taken.length, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) },
])
const answers: FloodAnswers = {
  seconds: (performance.now() - began) / 1000,
  statuses: Object.fromEntries(statuses),
}
process.stdout.write(`${JSON.stringify(answers)}\n`)
