/** The streams, the environment and the clock of the command line: those of the process, or what a test hands in. */
import type { Readable } from 'node:stream'

/** The exit code is not part of it: `runCli` returns it. */
export type CliIo = {
  readonly stdin: Readable
  /** For results. */
  readonly stdout: NodeJS.WritableStream
  /** For everything else. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** That of the process unless given. */
  readonly clock?: ProgressClock
}

export type ProgressClock = {
  /** Milliseconds since any moment. */
  readonly now: () => number
  /** Does the work repeatedly, until the returned function is called. */
  readonly every: (milliseconds: number, work: () => void) => () => void
}

/** Each stream is opened when it is first used: few commands read, and an open standard input keeps the process alive. */
export const processIo: CliIo = {
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  env: process.env,
}
