/** Writes a bench run as Markdown: the machine, the data, and the tables of each workload. */
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Row, Table, WorkloadResult } from './workload.ts'

export type NamedResult = WorkloadResult & { readonly name: string }

export function reportOf(results: readonly NamedResult[], pace: string): string {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const moment = new Date().toISOString().slice(0, 16).replace('T', ' ')
  return `${[
    `# Bench of ${moment} UTC`,
    `Machine: ${machine}; Node.js ${process.version}. ${pace}`,
    ...results.map(section),
  ].join('\n\n')}\n`
}

const section = ({ name, what, tables, notes = [] }: NamedResult): string =>
  [`## ${name}`, `${what}.`, ...tables.map(titledTable), ...notes].join('\n\n')

const titledTable = ({ title, rows }: Table): string =>
  [...(title === undefined ? [] : [`${title}:`]), markdownTable(rows)].join('\n\n')

/** Columns without values are left out; a figure that could not be measured is a dash. */
function markdownTable(rows: readonly Row[]): string {
  const all = new Set(rows.flatMap((row) => Object.keys(row)))
  const names = [...all].filter((name) => rows.some((row) => row[name] !== undefined && row[name] !== ''))
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  const cell = (value: string | number | undefined) =>
    typeof value === 'number' && !Number.isFinite(value) ? '-' : (value ?? '')
  return [
    line(names),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => cell(row[name])))),
  ].join('\n')
}
