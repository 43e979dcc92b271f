/**
 * `npm run bench` runs every workload, `npm run bench -- NAME...` some of them. Contenders run one at a time, in
 * alternating rounds of one run, each in a process of its own; what counts are medians and ratios, not absolute figures.
 * The results go to the terminal and, as Markdown, to bench/results/.
 */
import { writeFile } from 'node:fs/promises'
import { prepareDataset } from './dataset.ts'
import { reportOf } from './report.ts'
import { startTripfolio } from './tripfolio.ts'
import { type WorkloadResult, workloads } from './workloads.ts'

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(workloads, name))
if (unknown.length > 0) {
  process.stderr.write(
    `bench: unknown workload '${unknown[0]}'; there are: ${Object.keys(workloads).join(', ')}\n`,
  )
  process.exit(1)
}

const dataset = await prepareDataset()
const results: WorkloadResult[] = []
for (const [name, workload] of Object.entries(workloads)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  process.stderr.write(`bench: ${name}\n`)
  const tripfolio = await startTripfolio(dataset)
  try {
    results.push({ name, ...(await workload(tripfolio, dataset)) })
  } finally {
    await tripfolio.stop()
  }
}

const report = reportOf(dataset, results)
process.stdout.write(report)
const day = new Date().toISOString().slice(0, 10)
const path = new URL(`results/${day}-${chosen.length === 0 ? 'all' : chosen.join('-')}.md`, import.meta.url)
await writeFile(path, report)
process.stderr.write(`bench: written to ${path.pathname}\n`)
