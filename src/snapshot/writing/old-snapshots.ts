/**
 * Chooses the snapshots that a refresh removes. Refreshes that changed no record cost no older state: an extract that stands
 * still for a day would otherwise push out everything that an operator could roll back to.
 */
import { createHash } from 'node:crypto'
import { type StoredName, storedNames } from '../../schema/datasets.ts'
import type { Manifest } from '../manifest.ts'

type Snapshot = {
  readonly id: string
  /** Equal for equal records, see {@link contentOf}; null when it cannot be read. */
  readonly content: string | null
}

/**
 * The newest `keep` snapshots stay, because callers read pages from them, and the newest one of each of the newest `keep`
 * different contents.
 *
 * @param snapshots newest first
 */
export function oldSnapshots<S extends Snapshot>(snapshots: readonly S[], keep: number): readonly S[] {
  let states = 0
  return snapshots.filter(({ content }, rank) => {
    const newer = snapshots[rank - 1]
    const isRepeated = newer !== undefined && content !== null && content === newer.content
    if (!isRepeated) states++
    return rank >= keep && (isRepeated || states > keep)
  })
}

type Client = { readonly clientNumber: string; readonly name: string }

/** A checksum over the records and names of all clients, whatever their order. */
export function contentOf(
  clients: readonly Client[],
  versionOf: (clientNumber: string, stored: StoredName) => string,
): string {
  const hash = createHash('sha256')
  const numbers = new Map(clients.map(({ clientNumber, name }) => [clientNumber, name]))
  for (const [clientNumber, name] of [...numbers].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const versions = storedNames.map((stored) => versionOf(clientNumber, stored))
    hash.update(JSON.stringify([clientNumber, name, ...versions]))
  }
  return hash.digest('hex')
}

/** Null for a manifest that cannot be read. */
export function contentOfManifest(manifest: Manifest | null): string | null {
  if (manifest === null) return null
  const entries = new Map(manifest.clients.map((client) => [client.clientNumber, client]))
  return contentOf(
    manifest.clients,
    (clientNumber, stored) => entries.get(clientNumber)?.[stored].sha256 ?? '',
  )
}
