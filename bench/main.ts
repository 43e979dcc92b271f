/**
 * `npm run bench` runs every workload, `npm run bench -- NAME...` some of them; README.md in this folder says more.
 * Contenders run in processes of their own, in alternating rounds. Compare medians and ratios, not absolute figures. The
 * results go to the terminal and, as Markdown, to bench/results/. `npm run bench -- --against FOLDER` compares checkouts.
 */
import { writeFile } from 'node:fs/promises'
import { checkoutQuestionNames, compareCheckouts } from './checkouts.ts'
import { endChildren, endChildrenOnSignals } from './contenders/child.ts'
import { type RunningPeers, startPeers } from './contenders/peers.ts'
import { manyClients, prepareDataset } from './dataset.ts'
import { type Options, readOptions } from './options.ts'
import { type NamedResult, reportOf } from './report.ts'
import { type Bench, fullPace, quickPace, type WorkloadResult } from './workload.ts'
import { workloads } from './workloads/all.ts'

endChildrenOnSignals()
try {
  const options = readOptions(process.argv.slice(2), {
    workloads: Object.keys(workloads),
    questions: checkoutQuestionNames,
  })
  if (options.list) process.stdout.write(`${Object.keys(workloads).join('\n')}\n`)
  else if (options.against.length > 0) process.stdout.write(await compareCheckouts(options))
  else await runBench(options)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await endChildren()
}

async function runBench({ names, quick, profiling }: Options): Promise<void> {
  let peers: Promise<RunningPeers> | undefined
  const bench: Bench = {
    pace: quick ? quickPace : fullPace,
    profiling,
    peers: () => (peers ??= prepareDataset(manyClients).then(startPeers)),
  }
  const results: NamedResult[] = []
  try {
    for (const [name, workload] of Object.entries(workloads)) {
      if (names.length > 0 && !names.includes(name)) continue
      const began = performance.now()
      results.push({ name, ...(await workload(bench).catch(failureOf)) })
      process.stderr.write(`bench: ${name} took ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
    }
  } finally {
    // When the peers did not start, the workloads that needed them have failed already.
    await peers?.then(({ stop }) => stop()).catch(() => undefined)
  }
  const { rounds, seconds } = bench.pace
  const report = reportOf(
    results,
    `${quick ? 'Quick run, not to be quoted: ' : ''}${rounds} rounds of ${seconds} s.`,
  )
  process.stdout.write(report)
  // A quick run shows whether the bench works, not how fast anything is.
  if (!quick) await writeResults(report, names)
}

/** Turns the failure of one workload into its report, so that the results of the others are kept. */
function failureOf(error: unknown): WorkloadResult {
  process.exitCode = 1
  return { what: `Failed: ${error instanceof Error ? error.message : String(error)}`, tables: [] }
}

async function writeResults(report: string, names: readonly string[]): Promise<void> {
  const day = new Date().toISOString().slice(0, 10)
  const subject = names.length === 0 ? 'all' : names.join('-')
  const path = new URL(`results/${day}-${subject}.md`, import.meta.url)
  await writeFile(path, report)
  process.stderr.write(`bench: written to ${path.pathname}\n`)
}
