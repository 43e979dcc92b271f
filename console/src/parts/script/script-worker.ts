/** Runs lexer, parser, checker and formatter of the script language beside the page, so that typing never waits for them. */
import { hostFunctions, library, responseMembers } from 'virtual:script-functions'
import { formatScript } from '../../../../src/script/format/format-script.ts'
import { importsOf, scriptChecker } from './check-script.ts'
import type { WorkerAnswer, WorkerRequest, WorkerTasks } from './worker-messages.ts'

const tasks: WorkerTasks = {
  check: scriptChecker({ library, hostFunctions, responseMembers }),
  imports: importsOf,
  format: (text) => {
    const formatted = formatScript(text, 'service')
    return typeof formatted === 'string' ? formatted : null
  },
}

addEventListener('message', ({ data: { id, task, argument } }: MessageEvent<WorkerRequest>) => {
  answer(() => {
    const run = tasks[task] as (argument: unknown) => unknown
    return { id, result: run(argument) }
  }, id)
})

function answer(work: () => WorkerAnswer, id: number): void {
  try {
    postMessage(work())
  } catch (cause) {
    postMessage({ id, failure: String(cause) } satisfies WorkerAnswer)
  }
}
