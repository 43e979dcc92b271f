/** The first module of every thread. It imports the module that `ThreadGroup` was given, faster than Node.js alone would. */
import { flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'
import '../kernel/relative-imports.ts'

await import((workerData as { readonly entry: string }).entry)
// Node.js keeps compiled code when a thread exits. A service that is killed leaves it to the next start as well.
flushCompileCache()
