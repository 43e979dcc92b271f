/** A data folder with the fixture extract as its snapshot, and endpoints that tests publish into its control store. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'

export type EndpointsFolder = {
  readonly data: string
  readonly store: ControlStore
  /** A public endpoint that answers GET of the path, or another method. */
  readonly publish: (
    path: string,
    script: string,
    limits?: EndpointDefinition['limits'],
    method?: EndpointDefinition['method'],
  ) => ReturnType<ControlStore['endpoints']['publish']>
  /** Closes the store and removes the folder. */
  readonly close: () => Promise<void>
}

export async function openEndpointsFolder(): Promise<EndpointsFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-endpoints-'))
  const data = join(folder, 'data')
  await publishExtract({ data }, fixtureExtract)
  const store = await openControlStore(data)
  return {
    data,
    store,
    publish: async (path, script, limits = {}, method = 'GET') => {
      const { id } = await store.endpoints.create(
        { ...publicEndpoint, name: path, path, limits, method, script },
        'test',
      )
      return store.endpoints.publish(id, 'test')
    },
    close: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const publicEndpoint = {
  description: '',
  category: 'Utility',
  method: 'GET',
  requiresAuthentication: false,
  allowedRoles: [],
  allowedHosts: [],
  signature: null,
  deduplication: null,
  record: 'full',
  maskedFields: [],
  schedules: [],
} as const satisfies Partial<EndpointDefinition>
