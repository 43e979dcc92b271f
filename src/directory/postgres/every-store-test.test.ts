/** Runs the tests of the stores again, with every store on PostgreSQL. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
// Some of them are campaigns, so their long form runs on PostgreSQL, too.
import '../../../test/campaign.ts'
import { openOnPostgres } from '../testing/stores.ts'

/** What only files can be: locked, damaged, full, or of an older version. */
const OF_FILES = [
  'control-store.test.ts',
  'damaged-store.test.ts',
  'open-stores.test.ts',
  'history/record-executions.test.ts',
  'secrets/secret-key.test.ts',
]

/** What does not open its stores by way of `testing/` would only be the same test again. */
const opensStores = (path: string): boolean => /\/testing\/[\w-]+\.ts'/.test(readFileSync(path, 'utf8'))

openOnPostgres()
const folder = join(import.meta.dirname, '..')
const tests = globSync('**/*.test.ts', { cwd: folder, exclude: ['sqlite/**', 'postgres/**', ...OF_FILES] })
for (const path of tests.map((name) => join(folder, name)).sort()) {
  if (opensStores(path)) await import(path)
}
