/** Asks a question on a terminal. */
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import type { CliIo } from '../cli-io.ts'
import { Interrupted } from '../failures/interrupted.ts'

export const isTerminal = (stdin: Readable): boolean => 'isTTY' in stdin && stdin.isTTY === true

/**
 * @param hidden does not show what is typed
 * @returns the answer; null when the terminal was closed instead
 * @throws Interrupted at Ctrl-C
 */
export async function ask(
  { stdin, stderr }: CliIo,
  question: string,
  { hidden = false }: { readonly hidden?: boolean } = {},
): Promise<string | null> {
  stderr.write(question)
  // The interface echoes what is typed; the question is written above, so that only this can be hidden.
  const echo = new Writable({
    write: (chunk, _encoding, done) => {
      if (!hidden) stderr.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input: stdin, output: echo, terminal: true })
  const given = new AbortController()
  terminal.once('close', () => given.abort())
  let interrupted = false
  terminal.once('SIGINT', () => {
    interrupted = true
    given.abort()
  })
  try {
    return await terminal.question('', { signal: given.signal })
  } catch {
    if (interrupted) throw new Interrupted()
    return null
  } finally {
    terminal.close()
    if (hidden) stderr.write('\n')
  }
}
