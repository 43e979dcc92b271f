/** Calls the command line: in the process of a test, or in a new process. */
import { spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { CliIo } from '../cli-io.ts'
import { type Composition, runCli } from '../run-cli.ts'

export type Called = { readonly code: number; readonly stdout: string; readonly stderr: string }

type CallOptions = {
  /** The whole environment: variables of this process are not added. */
  readonly env?: Readonly<Record<string, string>>
  /** The content of standard input. */
  readonly input?: string
  /** Standard input is a terminal, on which the input is typed. */
  readonly terminal?: boolean
  readonly clock?: CliIo['clock']
  /** Standard output, where it is not to be read but to go somewhere; `stdout` is then empty. */
  readonly into?: NodeJS.WritableStream
  /** For commands that start a service or run a script of an endpoint. */
  readonly composition?: Partial<Composition>
}

const alone: Composition = {
  startService: () => Promise.reject(new Error('This test has no service')),
  openTrialRunner: () => Promise.reject(new Error('This test runs no scripts of endpoints')),
}

export async function callCli(
  argv: readonly string[],
  { env = {}, input = '', terminal = false, clock, into, composition = {} }: CallOptions = {},
): Promise<Called> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY: terminal })
  const io = { stdin, stdout: into ?? stdout, stderr, env, ...(clock === undefined ? {} : { clock }) }
  const code = await runCli(argv, io, { ...alone, ...composition }).finally(() => {
    stdout.end()
    stderr.end()
  })
  const [out, err] = await printed
  return { code, stdout: out, stderr: err }
}

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))

/** Calls the command line in a new process, for tests that need one. It costs fifty times as much. */
export async function startCli(
  argv: readonly string[],
  { env = {}, input = '' }: Pick<CallOptions, 'env' | 'input'> = {},
): Promise<Called> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...argv], {
    env: { PATH: process.env.PATH, ...env },
  })
  child.stdin.end(input)
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}
