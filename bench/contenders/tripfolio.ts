/** Tripfolio as a contender: `tripfolio serve` on a free port, one thread, no rate limit. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addressOf, startChild } from './child.ts'
import type { Server } from './server.ts'

const tripfolioBinary = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))

/** Runs a command of Tripfolio to its end and returns its standard output. @param binary `bin/tripfolio` of a checkout */
export async function runTripfolio(args: readonly string[], binary = tripfolioBinary): Promise<string> {
  const { stdout } = await promisify(execFile)(binary, args, { maxBuffer: 2 ** 26 })
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

export async function startTripfolio(
  { folder, environment = {} }: ServedData,
  { profileFolder, binary = tripfolioBinary }: TripfolioOptions = {},
): Promise<Server> {
  const threads = await oneThread()
  const started = performance.now()
  const child = startChild(
    binary,
    ['serve', '--data', folder, '--port', '0', '--log-level', 'warn', ...threads],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        // The bench measures the speed of the service, not its rate limit.
        TRIPFOLIO_RATE_LIMIT_V1: '0',
        ...(profileFolder === undefined ? {} : profiling(profileFolder)),
        ...environment,
      },
    },
  )
  const address = await addressOf(child)
  while (!(await fetch(`${address}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 5))
  const readyMs = performance.now() - started
  return { name: 'tripfolio', address, pids: [child.pid], readyMs, stop: child.stop }
}

let threadFlags: readonly string[] | undefined

/** Every contender has one thread. An older Tripfolio without the option has one anyway. */
async function oneThread(): Promise<readonly string[]> {
  threadFlags ??= (await runTripfolio(['serve', '--help'])).includes('--threads') ? ['--threads', '1'] : []
  return threadFlags
}

const profiling = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=500`,
})
