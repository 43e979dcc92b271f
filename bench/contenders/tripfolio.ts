/**
 * Tripfolio as a contender: `tripfolio serve` on a free port, one thread, no rate limit, and otherwise as it is installed. Its
 * log goes to a file: a pipe to the bench would cost the load generator what it costs to read the log.
 */
import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addressIn, type Started, startChild } from './child.ts'
import type { Server } from './server.ts'

const tripfolioBinary = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))

/** Runs a command of Tripfolio to its end and returns its standard output. @param binary `bin/tripfolio` of a checkout */
export async function runTripfolio(
  args: readonly string[],
  binary = tripfolioBinary,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...environment }
  const { stdout } = await promisify(execFile)(binary, args, { maxBuffer: 2 ** 26, env })
  return stdout
}

export type TripfolioOptions = {
  /** The folder to which a processor profile of the whole run is written when it stops. */
  readonly profileFolder?: string
  /** `bin/tripfolio` of another checkout; default: that of this one. */
  readonly binary?: string
}

/** A data folder, and the settings with which it is served. */
export type ServedData = {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Settings with which no request is logged. */
export const withoutLog = { TRIPFOLIO_LOG_LEVEL: 'warn' } as const

export async function startTripfolio(
  { folder, environment = {} }: ServedData,
  { profileFolder, binary = tripfolioBinary }: TripfolioOptions = {},
): Promise<Server> {
  const threads = await oneThread()
  const logs = mkdtempSync(join(tmpdir(), 'tripfolio-bench-log-'))
  const log = join(logs, 'log')
  const started = performance.now()
  const child = startLogging(log, binary, ['serve', '--data', folder, '--port', '0', ...threads], {
    ...process.env,
    // The bench measures the speed of the service, not its rate limit.
    TRIPFOLIO_RATE_LIMIT_V1: '0',
    ...(profileFolder === undefined ? {} : profiling(profileFolder)),
    ...environment,
  })
  child.child.once('exit', () => rmSync(logs, { recursive: true }))
  const address = await printedAddress(child, log)
  while (!(await fetch(`${address}/readyz`)).ok) await pause()
  const readyMs = performance.now() - started
  return { name: 'tripfolio', address, pids: [child.pid], readyMs, stop: child.stop }
}

/** Starts a command that prints into the file. The address is on standard error, which earlier versions printed to the log. */
function startLogging(
  log: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Started {
  const file = openSync(log, 'w')
  try {
    return startChild(command, args, { stdio: ['ignore', file, file], env })
  } finally {
    closeSync(file)
  }
}

async function printedAddress({ child }: Started, log: string): Promise<string> {
  while (child.exitCode === null && child.signalCode === null) {
    const address = addressIn(readFileSync(log, 'utf8'))
    if (address !== undefined) return address
    await pause()
  }
  throw new Error(`${child.spawnargs.join(' ')} ended before it printed its address`)
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

let threadFlags: readonly string[] | undefined

/** Every contender has one thread. An older Tripfolio without the option has one anyway. */
async function oneThread(): Promise<readonly string[]> {
  threadFlags ??= (await runTripfolio(['serve', '--help'])).includes('--threads') ? ['--threads', '1'] : []
  return threadFlags
}

const profiling = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=500`,
})
