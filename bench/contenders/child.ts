/**
 * Starts the processes of the bench and ensures that none outlives it: each is ended by its id, even when a workload throws
 * or the bench is interrupted. Refuses a process that ends before it prints the address on which it listens.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const running = new Set<ChildProcess>()

export type Started = {
  readonly pid: number
  readonly child: ChildProcess
  readonly stop: () => Promise<void>
}

export function startChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly stopSignal?: NodeJS.Signals } = {},
): Started {
  const { stopSignal = 'SIGTERM', ...spawning } = options
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...spawning })
  if (child.pid === undefined) throw new Error(`${command} could not be started`)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return { pid: child.pid, child, stop: () => end(child, stopSignal) }
}

/** Runs a TypeScript file of the bench in a process of its own, with the same Node.js; `input` goes to its stdin as JSON. */
export function startScript(script: URL, args: readonly string[], input: unknown): Started {
  const started = startChild(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(script),
    ...args,
  ])
  started.child.stdin?.end(JSON.stringify(input))
  return started
}

/** The first address that the process prints. */
export async function addressOf({ child }: Started): Promise<string> {
  if (child.stdout === null) throw new Error('The contender has no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const address = addressIn(line)
    if (address !== undefined) {
      child.stdout.resume()
      return address
    }
  }
  throw new Error(`${child.spawnargs.join(' ')} ended before it printed its address`)
}

export const addressIn = (text: string): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]

/** Ends all processes that still run when the bench gets a signal to end. */
export function endChildrenOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await endChildren()
      process.exit(130)
    })
  }
}

/** The processes of the bench that still run. */
export async function endChildren(): Promise<void> {
  await Promise.all([...running].map((child) => end(child, 'SIGINT')))
}

/** How long a process may take to end after a signal before it is killed. */
const PATIENCE_MS = 20_000

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  await ended
  clearTimeout(impatience)
}
