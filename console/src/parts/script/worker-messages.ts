/** What the page asks of the worker, and what it answers. */
import type { Finding, ImportedModule, ScriptToCheck } from './check-script.ts'

export type WorkerTasks = {
  readonly check: (script: ScriptToCheck) => readonly Finding[]
  readonly imports: (text: string) => readonly ImportedModule[]
  /** Null for a script that cannot be parsed. */
  readonly format: (text: string) => string | null
}

export type Task = keyof WorkerTasks

export type WorkerRequest = { readonly id: number; readonly task: Task; readonly argument: unknown }

export type WorkerAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: string }
