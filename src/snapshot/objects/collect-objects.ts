/**
 * Removes the objects that nothing needs any more: those of removed snapshots, and what killed refreshes have uploaded. May
 * run at the same time as refreshes and as other collectors; decision 0051 has the proof. It rests on the order of two
 * steps: the objects are listed first, and only then one transaction says what is needed.
 */
import type { ClientFiles } from '../manifest.ts'
import { filesOf, type Manifest } from '../manifest.ts'
import { partsOf, prefixOf } from './object-keys.ts'
import type { ObjectReader } from './object-reader.ts'
import type { ObjectStore } from './object-store.ts'
import { examinePublished } from './shared-source.ts'
import type { SnapshotIndex } from './snapshot-index.ts'

/**
 * How long the objects of a retired snapshot are kept for readers: longer than a node or a run stays on a snapshot after
 * another one is current, whatever their clocks say.
 */
const READER_GRACE_MS = 15 * 60_000

type Collection = {
  readonly store: ObjectStore
  readonly reader: ObjectReader
  readonly index: Pick<SnapshotIndex, 'forget'>
  readonly installation: string
  readonly graceMs?: number | undefined
}

/**
 * @returns how many objects were removed
 * @throws Problem when a manifest that is still needed cannot be read: then nothing is removed
 */
export async function collectObjects({
  store,
  reader,
  index,
  installation,
  graceMs = READER_GRACE_MS,
}: Collection): Promise<number> {
  const listed: string[] = []
  for await (const { key } of store.list(prefixOf(installation))) listed.push(key)
  const { snapshots, drafts } = await index.forget(new Date(Date.now() - graceMs))
  const used = new Set<string>()
  for (const published of snapshots) {
    const { manifest, problem } = await examinePublished(published, reader)
    if (problem !== null) throw problem
    used.add(published.manifest.key)
    for (const key of keysOf(manifest)) used.add(key)
  }
  const unfinished = new Set(drafts)
  const garbage = listed.filter((key) => !used.has(key) && !unfinished.has(partsOf(key).snapshot))
  await store.delete(garbage)
  return garbage.length
}

function* keysOf({ clients, files = [] }: Manifest): Generator<string> {
  for (const client of clients satisfies readonly ClientFiles[])
    for (const { path } of filesOf(client)) yield path
  for (const { path } of files) yield path
}
