/** A bench run as Markdown: the machine, the data, and one table per workload. */
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Dataset } from './dataset.ts'
import type { WorkloadResult } from './workloads.ts'

export function reportOf(dataset: Dataset, results: readonly WorkloadResult[]): string {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const parts = [
    `# Bench of ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `Machine: ${machine}; Node.js ${process.version}. Data: ${dataset.bookings} bookings of ${dataset.clients} clients.`,
    ...results.map(({ name, what, rows }) => `## ${name}\n\n${what}.\n\n${markdownTable(rows)}`),
  ]
  return `${parts.join('\n\n')}\n`
}

function markdownTable(rows: WorkloadResult['rows']): string {
  const names = Object.keys(rows[0] ?? {})
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  return [
    line(names),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => row[name]))),
  ].join('\n')
}
