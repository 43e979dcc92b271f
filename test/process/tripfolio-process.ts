/** Runs `bin/tripfolio` as its user does: a process of its own, ended by its process id. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openTranscript, type Transcript } from './transcript.ts'

const binary = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))

/** `code` is NaN for a process that a signal ended. */
export type Finished = { readonly code: number; readonly stdout: string; readonly stderr: string }

export function runTripfolio(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
): Promise<Finished> {
  const [command = binary, ...before] = [...wrapper, binary]
  return new Promise((resolve) => {
    execFile(
      command,
      [...before, ...args],
      { env: { ...process.env, ...env }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), stdout, stderr })
      },
    )
  })
}

const inTurn = fileURLToPath(new URL('./commands-in-turn.ts', import.meta.url))

/** Commands one after the other in one process, under the same limits and rights: it costs little more than one of them. */
export async function runInTurn(
  calls: readonly (readonly string[])[],
  wrapper: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Finished[]> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', inTurn, JSON.stringify(calls)]
  const [command = '', ...args] = [...wrapper, ...node]
  const { stdout } = await promisify(execFile)(command, args, {
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

export type Serving = {
  readonly address: string
  readonly pid: number
  /** Everything printed so far. */
  readonly output: () => string
  /** Waits until the output matches. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

type ServeOptions = {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What it has to say before the work begins. */
  readonly ready?: RegExp
  /** Most files that the process may have open. */
  readonly mostFiles?: number
  /** A command that runs what follows it in its own place, such as `prlimit --fsize=0`. */
  readonly wrapper?: readonly string[]
}

const SERVES = /serves (http:\/\/127\.0\.0\.1:\d+)/

/**
 * Each thread loads the whole service, which takes half a second: tests that are about threads ask for more than one. A first
 * start makes a small demo. On a busy machine a thread is late, which must not become an answer of 503.
 */
export const SMALL_SERVICE = {
  TRIPFOLIO_LOAD_SHEDDING_DELAY_MILLISECONDS: '0',
  TRIPFOLIO_THREADS: '1',
  TRIPFOLIO_SCRIPT_THREADS: '1',
  TRIPFOLIO_DEMO_BOOKINGS: '300',
}

/**
 * Starts `tripfolio serve` on a free port, with one thread of each kind unless told otherwise, waits until it says where it
 * serves, and ends it when the work is done.
 */
export async function whileServing<T>(
  data: string,
  work: (serving: Serving) => Promise<T>,
  { args = [], env = {}, ready = SERVES, mostFiles, wrapper = [] }: ServeOptions = {},
): Promise<T> {
  const limited = mostFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${mostFiles}; exec "$@"`, 'sh']
  const [command = binary, ...before] = [...limited, ...wrapper, binary]
  const child = spawn(command, [...before, 'serve', '--data', data, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...SMALL_SERVICE, ...env },
  })
  const { text, until } = collect(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  try {
    const match = await until(ready)
    return await work({ address: match[1] ?? '', pid: child.pid ?? 0, output: text, until, kill })
  } finally {
    await kill('SIGKILL')
  }
}

function collect(child: ChildProcess): Transcript {
  const transcript = openTranscript()
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', transcript.add)
  child.once('exit', (code) => transcript.end(`It ended with ${code}`))
  return transcript
}
