/** Starts a contender as a process of its own and waits until it answers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Dataset, tripfolioBinary } from './dataset.ts'

export type Server = {
  readonly address: string
  readonly readyMs: number
  readonly stop: () => Promise<void>
}

/** `tripfolio serve` on a free port, timed from the command to the first 200 of /readyz. */
export async function startTripfolio({ folder }: Dataset): Promise<Server> {
  const started = performance.now()
  const child = spawn(tripfolioBinary, ['serve', '--data', folder, '--port', '0', '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // What is measured is how fast it can be, not how fast it lets itself be asked.
    env: { ...process.env, TRIPFOLIO_RATE_LIMIT_V1: '0' },
  })
  const address = await firstMatch(child, /(http:\/\/127\.0\.0\.1:\d+)/)
  while (!(await fetch(`${address}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 5))
  return { address, readyMs: performance.now() - started, stop: () => stop(child) }
}

/** The limit: a bare node:http server that sends the same body with the same headers to every request. */
export async function startLimit(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<Server> {
  const script = fileURLToPath(new URL('limit-server.ts', import.meta.url))
  const started = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin?.end(JSON.stringify({ headers, body: Buffer.from(body).toString('base64') }))
  const address = await firstMatch(child, /(http:\/\/127\.0\.0\.1:\d+)/)
  return { address, readyMs: performance.now() - started, stop: () => stop(child) }
}

async function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('The contender has no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const match = pattern.exec(line)?.[1]
    if (match !== undefined) {
      child.stdout.resume()
      return match
    }
  }
  throw new Error('The contender ended before it said where it listens')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
