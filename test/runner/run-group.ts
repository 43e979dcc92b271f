/**
 * The process of a group: runs the test files that it is given, reports to standard output, and writes the summary to the
 * file that is its first argument. `TEST_LOADER` names a file that loads them, where `node:test` is not to load them itself.
 *
 * To name the test of an error that nobody catches, `node:test` follows every promise to the test that made it. This makes each
 * `await` eight times as dear, also in the product. Here it follows timers, sockets and files only; a promise belongs to the
 * test whose timer, socket or file goes on with it.
 */
import asyncHooks from 'node:async_hooks'
import { createWriteStream, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
// As the service does: a group imports up to 2,000 files.
import '../../src/kernel/relative-imports.ts'

const [summaryFile, ...files] = process.argv.slice(2) as [summaryFile: string, ...files: string[]]

const { createHook } = asyncHooks
// `node:test` makes its only hook when it begins to run tests.
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
const { run } = await import('node:test')
asyncHooks.createHook = createHook

const { spec } = await import('node:test/reporters')
const { default: summaryOf } = await import('./summary-reporter.ts')
const { endWhenSilent } = await import('./end-when-silent.ts')

const loader = process.env.TEST_LOADER
const events = run({
  files: (loader ? [loader] : files).map((file) => resolve(file)),
  isolation: 'none',
})
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
endWhenSilent(events, Number(process.env.TEST_SILENT_SECONDS ?? 300), (text) => writeSync(1, text))
await Promise.all([
  pipeline(events.compose(new spec()), process.stdout, { end: false }),
  pipeline(events, summaryOf, createWriteStream(summaryFile)),
])

// `run` says nothing of a file that it could not load. Loading it again throws the same error, which ends this process with code 1.
for (const file of files) await import(pathToFileURL(resolve(file)).href)
