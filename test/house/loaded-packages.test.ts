import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const project = new URL('../../', import.meta.url)

const stores = ['fastest-levenshtein', 'kysely']
const thread = [...stores, 'apache-arrow', 'birpc', 'croner', 'lru-cache', 'prom-client']

/** What each entry loads before it does anything. Loading is most of what a start costs. */
const entries: Readonly<Record<string, readonly string[]>> = {
  'src/service/script-worker.ts': [...thread, 're2js'],
  'src/service/api-worker.ts': [
    ...thread,
    '@fastify/static',
    '@fastify/swagger',
    '@fastify/swagger-ui',
    'fastify',
  ],
  'src/cli/account-commands.ts': [...stores, 'commander'],
  'src/cli/serve-command.ts': ['commander', 'croner'],
  'src/ingest/refresh/refresh-child.ts': ['@duckdb/node-api', 'apache-arrow', 'croner'],
  'src/service/start-service.ts': ['birpc', 'croner', 'fastest-levenshtein', 'prom-client'],
}

/** Statements that only name types are removed before a file is run. */
const imports = /^(?:import|export)(?! type\b)(?:[^'"]*?\bfrom)? '([^']+)'/gm

function packagesOf(entry: string): readonly string[] {
  const files = new Set([new URL(entry, project).href])
  const packages = new Set<string>()
  for (const file of files) {
    if (!file.endsWith('.ts')) continue
    for (const [, specifier = ''] of readFileSync(new URL(file), 'utf8').matchAll(imports)) {
      if (specifier.startsWith('.')) files.add(new URL(specifier, file).href)
      else if (!specifier.startsWith('node:')) packages.add(nameOf(specifier))
    }
  }
  return [...packages].sort()
}

/** `@scope/name/file.js` and `name/file.js` are files of `@scope/name` and `name`. */
const nameOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

describe('a start loads no other packages than it needs', () => {
  for (const [entry, packages] of Object.entries(entries)) {
    it(entry, () => assert.deepEqual(packagesOf(entry), [...packages].sort()))
  }
})
