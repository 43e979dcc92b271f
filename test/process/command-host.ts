/**
 * Runs one command after another for `openCommands`: the command line as `main.ts` composes it, with what is written to the
 * standard streams sent back instead.
 */
import { runCli } from '../../src/cli/run-cli.ts'
import type { Finished } from './tripfolio-process.ts'

export type CommandRequest = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const usualEnv = { ...process.env }

process.on('message', async ({ args, env }: CommandRequest) => {
  process.env = { ...usualEnv, ...env }
  process.exitCode = undefined
  const [stdout, stderr] = [captureWrites(process.stdout), captureWrites(process.stderr)]
  const code = await runCli(
    args,
    () => Promise.reject(new Error('Nothing is served here')),
    async (...parts) => (await import('../../src/service/trial-runner.ts')).openTestRunner(...parts),
  )
  process.send?.({ code, stdout: stdout(), stderr: stderr() } satisfies Finished)
})

function captureWrites(stream: NodeJS.WriteStream): () => string {
  let text = ''
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
  return () => text
}
