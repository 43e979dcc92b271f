/**
 * Writes the types of the APIs from the OpenAPI document of a service that starts for it, to console/generated/api.d.ts. Only
 * the check of types needs them; the build drops all types.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import { startService } from '../../src/service/start-service.ts'

const generated = join(import.meta.dirname, '../generated')
const generators = createRequire(join(import.meta.dirname, '../../test/generated-clients/package.json'))

await mkdir(generated, { recursive: true })
const file = join(generated, 'api.d.ts')
const types = await typesOf(await document())
if (types !== (await readFile(file, 'utf8').catch(() => ''))) await writeFile(file, types)

async function document(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'tripfolio-types-'))
  try {
    const config = loadConfig({ env: {}, flags: { data, threads: 1, port: 0 } })
    const service = await startService(config, { write: () => undefined })
    try {
      return await (await fetch(new URL('/openapi.json', service.address))).text()
    } finally {
      await service.close()
    }
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** The generator is a package of the workspace that compiles generated clients; what it exports is CommonJS there. */
async function typesOf(text: string): Promise<string> {
  const { default: openapi, astToString } = generators('openapi-typescript') as {
    readonly default: (document: string) => Promise<readonly unknown[]>
    readonly astToString: (nodes: readonly unknown[]) => string
  }
  return `// Generated from the OpenAPI document.\n${astToString(await openapi(text))}`
}
