/**
 * What `npm run test:area -- NAME` runs: the folder of the area under `src/`, and the tests under `test/` that are about it.
 * Patterns are those of `fs.globSync`, from the root of the project.
 */
import { globSync } from 'node:fs'

const ofFolder = (name: string): string => `src/${name}/**/*.test.ts`

export const areas: Readonly<Record<string, readonly string[]>> = {
  admin: [ofFolder('admin'), 'test/wire/admin-*.test.ts'],
  browser: ['console/src/**/*.test.ts', 'test/browser/*.test.ts'],
  auth: [
    ofFolder('auth'),
    'test/wire/{failed-authentication,rate-limit}.test.ts',
    'test/process/{failed-authentication,rotation}.test.ts',
  ],
  automation: [ofFolder('automation'), 'test/automation/*.test.ts', 'test/wire/dynamic-endpoints.test.ts'],
  backup: [ofFolder('backup'), 'test/process/operations.test.ts'],
  bench: ['bench/**/*.test.ts'],
  cli: [ofFolder('cli'), 'test/process/{endpoint-commands,ingest-command}.test.ts'],
  config: [ofFolder('config')],
  console: ['console/src/**/*.test.ts'],
  demo: [ofFolder('demo')],
  directory: [ofFolder('directory'), 'test/process/{nodes,store-copy,store-faults}.test.ts'],
  engine: [
    ofFolder('engine'),
    'test/conformance/*.test.ts',
    'test/wire/{plan-cache,warm-up,work-budget}.test.ts',
  ],
  events: [ofFolder('events'), 'test/process/{webhooks,webhooks-guide}.test.ts'],
  http: [
    ofFolder('http'),
    'test/wire/*.test.ts',
    'test/process/{generated-clients,http-clients,openapi-document}.test.ts',
  ],
  house: ['test/house/*.test.ts'],
  ingest: [
    ofFolder('ingest'),
    'test/fixtures/*.test.ts',
    'test/process/{card-numbers,client-isolation,invoice-sums,other-format,rejects-durable}.test.ts',
    'test/process/{ingest,refresh}-*.test.ts',
  ],
  kernel: [ofFolder('kernel')],
  observe: [ofFolder('observe')],
  outbound: [ofFolder('outbound')],
  postgres: [ofFolder('postgres')],
  process: ['test/process/*.test.ts'],
  property: ['test/property/*.test.ts'],
  query: [ofFolder('query'), 'test/query/*.test.ts'],
  read: [ofFolder('read'), 'test/wire/{formats,load-shedding,snapshot-pinning}.test.ts'],
  runner: ['test/runner/*.test.ts'],
  schema: [ofFolder('schema')],
  script: [ofFolder('script'), 'test/scripts/*.test.ts', 'test/scripts-escape/*.test.ts'],
  service: [
    ofFolder('service'),
    'test/process/{api-threads,run-snapshot,scheduled-work,script-threads,serve,several-nodes-guide,stopping,stopping-runs}.test.ts',
  ],
  snapshot: [ofFolder('snapshot'), 'test/process/{large-answers,run-snapshot}.test.ts'],
  threads: [ofFolder('threads'), 'test/process/{api-threads,script-threads}.test.ts'],
}

export const everyTest = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'bench/**/*.test.ts',
  'console/src/**/*.test.ts',
] as const

export const filesOf = (patterns: readonly string[], root: string): readonly string[] =>
  [...new Set(globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] }))].sort()
