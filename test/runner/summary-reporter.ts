/** A reporter of `node --test` for the runner: one line of JSON with the counts of a group, its cost and what failed. */
import { readFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'

export type Failure = { readonly name: string; readonly file: string }

export type Summary = {
  readonly tests: number
  readonly passed: number
  readonly skipped: number
  readonly failures: readonly Failure[]
  readonly success: boolean
  readonly processorSeconds: number
}

export default async function* summaryOf(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = []
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.details.type !== 'suite') {
      failures.push({ name: data.name, file: data.file ?? '' })
    }
    if (type === 'test:summary' && data.file === undefined) {
      const { tests, passed, skipped, todo } = data.counts
      const summary: Summary = {
        tests,
        passed,
        skipped: skipped + todo,
        failures,
        success: data.success,
        processorSeconds: ownSeconds() + childrenSeconds(),
      }
      yield `${JSON.stringify(summary)}\n`
    }
  }
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Processor time of the ended child processes: the fields cutime and cstime of proc(5), in ticks. */
function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const TICKS_PER_SECOND = 100
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
