/** What the command line reads and writes besides files: the process's own, or what a test hands in. */
import type { Readable } from 'node:stream'

/** The exit code is no part of it: `runCli` returns that. */
export type CliIo = {
  readonly stdin: Readable
  /** For results. */
  readonly stdout: NodeJS.WritableStream
  /** For everything else. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Each stream is opened when it is first used: few commands read, and an open input keeps a process waiting. */
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
