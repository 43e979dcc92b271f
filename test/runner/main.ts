/**
 * Runs tests: `node test/runner/main.ts` all of them, `--area NAME...` those of some areas, `--long` the campaigns in their
 * long form. Each group of files is a process; one more runs at once than there are processor cores. What a group prints is
 * printed when the group is over.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stopSharedServer } from '../../src/postgres/testing/shared-server.ts'
import { areas, everyTest, filesOf } from './areas.ts'
import { type Group, groupsOf } from './groups.ts'
import type { Summary } from './summary-reporter.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Ended = {
  readonly group: Group
  readonly output: string
  readonly summary: Summary | null
  readonly reason: string | null
}

const running = new Set<ChildProcess>()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { area: { type: 'boolean', default: false }, long: { type: 'boolean', default: false } },
})
process.exitCode = await main()

async function main(): Promise<number> {
  const files = selectedFiles()
  if (files === null) return 1
  const started = performance.now()
  const seed = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31))
  if (values.long)
    process.stdout.write(`The seed is ${seed}: SEED=${seed} npm run test:long runs the same again.\n`)
  // Everything that tests leave behind is in one place, and goes with it.
  const folder = mkdtempSync(join(roomyFolder(), 'tripfolio-tests-'))
  const fixtures = join(folder, 'fixtures')
  const cleanUp = async () => {
    await stopSharedServer(fixtures)
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      for (const child of running) endGroupOf(child)
      await cleanUp()
      process.exit(1)
    })
  }
  try {
    const ended = await runGroups(groupsOf(files), {
      ...process.env,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile'),
      TMPDIR: folder,
      TEST_FIXTURES: fixtures,
      TEST_POSTGRES_BINARIES: process.env.TEST_POSTGRES_BINARIES ?? join(tmpdir(), 'tripfolio-postgres'),
      ...(values.long && { TEST_CAMPAIGNS: 'long', SEED: seed }),
    })
    return conclude(ended, performance.now() - started, seed)
  } finally {
    await cleanUp()
  }
}

/**
 * Memory, where the system has a folder for that with room enough: tests write thousands of small databases, each of which
 * waits for the disk a dozen times.
 */
function roomyFolder(): string {
  const inMemory = '/dev/shm'
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= 4 * 2 ** 30 ? inMemory : tmpdir()
}

/** Null when there is nothing to run, which has been said then. */
function selectedFiles(): readonly string[] | null {
  if (values.long) return filesOf(everyTest, root).filter(isCampaign)
  if (!values.area && positionals.length === 0) return filesOf(everyTest, root)
  const unknown = positionals.filter((name) => areas[name] === undefined)
  if (positionals.length > 0 && unknown.length === 0) {
    return filesOf(
      positionals.flatMap((name) => areas[name] ?? []),
      root,
    )
  }
  const found = unknown.length === 0 ? 'none' : unknown.map((name) => `'${name}'`).join(', ')
  process.stderr.write(`Expected areas, found ${found}. The areas are:\n`)
  for (const name of Object.keys(areas)) process.stderr.write(`  ${name}\n`)
  return null
}

/** A campaign says how much it runs by `campaign.ts`. */
function isCampaign(file: string): boolean {
  return /\/campaign\.ts'/.test(readFileSync(join(root, file), 'utf8'))
}

async function runGroups(groups: readonly Group[], env: NodeJS.ProcessEnv): Promise<readonly Ended[]> {
  const waiting = [...groups]
  const ended: Ended[] = []
  const worker = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const one = await runGroup(group, env)
      const cost =
        one.summary === null ? '' : `: ${one.summary.processorSeconds.toFixed(1)} processor seconds`
      process.stdout.write(`\n── ${group.name}${cost}\n${one.output}`)
      if (one.reason !== null) process.stdout.write(`✖ ${group.name} ${one.reason}\n`)
      ended.push(one)
    }
  }
  // One more than there are cores: groups wait for the disk, for processes and for pauses that are tested.
  const jobs = Number(process.env.TEST_JOBS ?? availableParallelism() + 1)
  const workers = Math.max(1, Math.min(jobs, groups.length))
  await Promise.all(Array.from({ length: workers }, worker))
  return ended
}

async function runGroup(group: Group, env: NodeJS.ProcessEnv): Promise<Ended> {
  const report = join(env.TMPDIR ?? tmpdir(), `${group.name.replaceAll('/', '-')}.json`)
  const child = spawn(
    process.execPath,
    [
      // The young generation is as large as that of `bin/tripfolio`: tests make as many objects that die soon.
      ...['--min-semi-space-size=16', '--max-semi-space-size=32'],
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('run-group.ts', import.meta.url)),
      report,
      ...group.files,
    ],
    // A process group of its own, so that what a test has started can be ended with it.
    {
      cwd: root,
      env: { ...env, TEST_LOADER: group.loader ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  running.add(child)
  const [output, reason] = await Promise.all([textOf(child), endOf(child).finally(() => endGroupOf(child))])
  running.delete(child)
  const summary = readSummary(report)
  if (summary === null) return { group, output, summary, reason: `ended with ${reason} before its tests did` }
  if (!summary.success && summary.failures.length === 0) {
    return { group, output, summary, reason: 'had an error outside of its tests, which is printed above' }
  }
  return { group, output, summary, reason: summary.success && reason !== '0' ? `ended with ${reason}` : null }
}

async function textOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let text = ''
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  await Promise.all(
    [stdout, stderr].map((stream) => new Promise((resolve) => stream?.once('close', resolve))),
  )
  return text
}

/** Ends the process of a group, and the services and browsers that its tests left running. */
function endGroupOf({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Nothing is left: the usual case.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The exit code, or the signal. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(String(code ?? signal)))
    child.once('error', (error) => resolve(error.message))
  })
}

function readSummary(report: string): Summary | null {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return null
  }
}

/** The closing lines; the exit code. */
function conclude(ended: readonly Ended[], milliseconds: number, seed: string): number {
  const total = (count: (summary: Summary) => number) =>
    ended.reduce((sum, { summary }) => sum + (summary === null ? 0 : count(summary)), 0)
  const broken = ended.filter(({ reason }) => reason !== null)
  const failures = ended.flatMap(({ summary }) => summary?.failures ?? [])
  // A hook that fails outside of all suites is told, but does not count for `success`.
  const isFailed = broken.length + failures.length > 0 || ended.some(({ summary }) => !summary?.success)
  if (isFailed) process.stdout.write('\n✖ failed:\n')
  for (const { name, file } of failures) process.stdout.write(`  ${file.replace(root, '')}: ${name}\n`)
  for (const { group, reason } of broken) process.stdout.write(`  ${group.name} ${reason}\n`)
  const lines: readonly (readonly [name: string, value: number | string])[] = [
    ['tests', total(({ tests }) => tests)],
    ['pass', total(({ passed }) => passed)],
    ['fail', failures.length + broken.length],
    ['skipped', total(({ skipped }) => skipped)],
    ['duration_ms', Math.round(milliseconds)],
    ['processor_seconds', Math.round(total(({ processorSeconds }) => processorSeconds))],
    ...(values.long ? [['seed', seed] as const] : []),
  ]
  process.stdout.write(`\n${lines.map(([name, value]) => `ℹ ${name} ${value}\n`).join('')}`)
  return isFailed ? 1 : 0
}
