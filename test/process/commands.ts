/**
 * Many commands without as many starts of a process: a single one runs them all, in the order in which they are asked for. What
 * only a real start can show (exit codes, signals, limits of the process) is tested with `runTripfolio`.
 */
import { fork } from 'node:child_process'
import type { CommandRequest } from './command-host.ts'
import type { Finished } from './tripfolio-process.ts'

export type Commands = {
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Finished>
  readonly close: () => void
}

export function openCommands(): Commands {
  const host = fork(new URL('command-host.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  let last: Promise<unknown> = Promise.resolve()
  const runNow = (request: CommandRequest) =>
    new Promise<Finished>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`The host of commands ended with ${code}`))
      host.once('exit', onExit)
      host.once('message', (finished: Finished) => {
        host.off('exit', onExit)
        resolve(finished)
      })
      host.send(request)
    })
  return {
    run(args, env = {}) {
      const running = last.then(() => runNow({ args, env }))
      last = running.catch(() => undefined)
      return running
    },
    close: () => void host.disconnect(),
  }
}
