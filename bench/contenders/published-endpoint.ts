/** Publishes an endpoint through the command line, so that each checkout writes its own form of the store. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTripfolio } from './tripfolio.ts'

export type BenchEndpoint = {
  readonly path: string
  readonly script: string
  readonly limits?: Readonly<Record<string, number>>
}

export const trivialEndpoint: BenchEndpoint = {
  path: 'bench/trivial',
  script: 'Data._payload = { "n": 1 + 1 }',
}

export const pathOf = ({ path }: BenchEndpoint): string => `/api/dynamic/v1/${path}`

/** @param binary `bin/tripfolio` of a checkout; default: that of this one */
export async function publishEndpoint(
  data: string,
  { path, script, limits = {} }: BenchEndpoint,
  binary?: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-endpoint-'))
  const file = join(folder, 'endpoint.yaml')
  const definition = {
    name: path,
    category: 'Utility',
    method: 'GET',
    path,
    requiresAuthentication: false,
    limits,
  }
  try {
    // YAML includes JSON.
    await writeFile(file, JSON.stringify(definition))
    await writeFile(join(folder, 'endpoint.jyro'), script)
    await runTripfolio(['endpoint', 'push', file, '--publish', '--data', data], binary)
  } finally {
    await rm(folder, { recursive: true })
  }
}
