/** For the tests of endpoints: the endpoints of a control store in its own folder, with its trail of changes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { AuditEntry } from '../audit/audit.ts'
import type { ControlStore } from '../control-store.ts'
import type { Freshness } from '../database.ts'
import { placeControlStore } from './store-files.ts'
import { openControlStore } from './stores.ts'

export const BY = 'operator:test'

export type EndpointStore = {
  readonly endpoints: ControlStore['endpoints']
  readonly modules: ControlStore['modules']
  readonly secrets: ControlStore['secrets']
  /** Oldest first, in the order of writing, because entries of one millisecond have equal moments. */
  readonly history: (id: string) => Promise<readonly AuditEntry[]>
  readonly close: () => Promise<void>
}

export async function openEndpointStore(
  path: string,
  options: { readonly freshness?: Freshness } = {},
): Promise<EndpointStore> {
  await placeControlStore(dirname(path))
  const { endpoints, modules, secrets, audit, close } = await openControlStore(dirname(path), {
    ...options,
    secretKey: () => Buffer.alloc(32, 7),
  })
  return {
    endpoints,
    modules,
    secrets,
    history: async (subjectId) => {
      const { items } = await audit.list({ subjectId, limit: 10_000 })
      return items.map(({ id, ...entry }) => entry).reverse()
    },
    close,
  }
}

/** A file in its own folder. */
export function makeStoreFile(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-endpoints-'))
  return { path: join(folder, 'control.db'), remove: () => rmSync(folder, { recursive: true }) }
}

let made = 0
/** Has a new name and path unless given. */
export const definition = (members: Partial<EndpointDefinition> = {}): EndpointDefinition => {
  made++
  return {
    name: `Endpoint ${made}`,
    description: '',
    category: 'Utility',
    method: 'GET',
    path: `made/${made}`,
    requiresAuthentication: true,
    allowedRoles: [],
    allowedHosts: [],
    limits: {},
    signature: null,
    deduplication: null,
    record: 'full',
    maskedFields: [],
    schedules: [],
    script: 'Data._payload = 1',
    ...members,
  }
}
