/**
 * What the process of several files loads: each file is a suite, so that its service starts before its first test and ends after
 * its last one. The hooks of files that are loaded by themselves would start all services of the process before its first test.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { describe } from 'node:test'
// Outside of all suites, so that the browser ends after the last file.
import './chromium.ts'

const require = createRequire(import.meta.url)

for (const file of process.argv.filter((name) => name.endsWith('.test.ts'))) {
  describe(file, () => {
    require(resolve(file))
  })
}
