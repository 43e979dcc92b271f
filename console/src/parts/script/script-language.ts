/** Asks the worker of the script language. There is one for the page, started with the first question. */

import workerAddress from './script-worker.ts?worker&url'
import { trustedScriptUrl } from './trusted-script-url.ts'
import type { Task, WorkerAnswer, WorkerRequest, WorkerTasks } from './worker-messages.ts'

type Waiting = { readonly resolve: (result: never) => void; readonly reject: (cause: Error) => void }

const waiting = new Map<number, Waiting>()
let worker: Worker | undefined
let lastId = 0

export const scriptLanguage = {
  check: (script: Parameters<WorkerTasks['check']>[0]) => ask('check', script),
  imports: (text: string) => ask('imports', text),
  format: (text: string) => ask('format', text),
} as const

function ask<T extends Task>(
  task: T,
  argument: Parameters<WorkerTasks[T]>[0],
): Promise<ReturnType<WorkerTasks[T]>> {
  worker ??= start()
  const id = ++lastId
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker?.postMessage({ id, task, argument } satisfies WorkerRequest)
  })
}

function start(): Worker {
  const started = new Worker(trustedScriptUrl(workerAddress), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
    const question = waiting.get(data.id)
    waiting.delete(data.id)
    if ('failure' in data) question?.reject(new Error(data.failure))
    else question?.resolve(data.result as never)
  })
  started.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message))
    waiting.clear()
    worker = undefined
  })
  return started
}
