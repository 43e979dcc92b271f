/** Lists, verifies and rolls back shared snapshots, newest first: for operators, as `stored-snapshots.ts` does it for a data folder. */
import { createHash } from 'node:crypto'
import { stepsInStorage } from '../changes/stored-steps.ts'
import { noteReturn } from '../changes/stored-successions.ts'
import type { CollectionFile } from '../files/collection-files.ts'
import { candidates } from '../intact-manifest.ts'
import { damaged, type Examined, type Manifest } from '../manifest.ts'
import {
  changedMeanwhile,
  fileDamaged,
  nothingToRollBackTo,
  rollBackDamaged,
  unknownSnapshot,
} from '../problems.ts'
import {
  collectionFilesOf,
  describeExamined,
  refusalOf,
  type SnapshotDescription,
  type VerifiedSnapshot,
} from '../stored-snapshots.ts'
import type { FileContent } from '../verify.ts'
import type { RolledBack } from '../writing/roll-back.ts'
import { partsOf, prefixOf } from './object-keys.ts'
import { fetchInTime, type ObjectReader } from './object-reader.ts'
import type { ObjectStore } from './object-store.ts'
import { storageAway } from './problems.ts'
import { examinePublished } from './shared-source.ts'
import type { PublishedSnapshot, SnapshotIndex } from './snapshot-index.ts'

type StoredParts = {
  readonly store: ObjectStore
  readonly reader: ObjectReader
  readonly index: Pick<SnapshotIndex, 'current' | 'list' | 'rollBack'>
  /** The id of the control store. */
  readonly installation: string
}

export async function describeShared({
  index,
  reader,
}: StoredParts): Promise<readonly SnapshotDescription[]> {
  const described: SnapshotDescription[] = []
  for (const published of await index.list()) {
    const { id, isCurrent: current } = published
    described.push({ id, current, ...describeExamined(await examinePublished(published, reader)) })
  }
  return described
}

/** The manifest of the current snapshot, or of the newest that can be used instead; null when there is none. */
export async function usableShared({
  index,
  reader,
}: Pick<StoredParts, 'reader'> & {
  readonly index: Pick<SnapshotIndex, 'current' | 'list'>
}): Promise<Manifest | null> {
  const published = new Map((await index.list()).map((each) => [each.id, each]))
  for (const id of candidates((await index.current())?.id, [...published.keys()])) {
    const found = published.get(id)
    const manifest = found === undefined ? null : (await examinePublished(found, reader)).manifest
    if (manifest !== null) return manifest
  }
  return null
}

/** Reads every object, each once, although several snapshots may use it, and opens those of clients as the service does. */
export async function verifyShared(parts: StoredParts): Promise<readonly VerifiedSnapshot[]> {
  const known = new Map<string, string | null>()
  const damageOf: DamageOf = async (path, content, of) => {
    // For another client the same object would be another client's.
    const key = JSON.stringify([path, of?.clientNumber, of?.stored])
    const found = known.has(key) ? known.get(key) : await damageInStore(parts.store, path, content, of)
    known.set(key, found ?? null)
    return found ?? null
  }
  const verified: VerifiedSnapshot[] = []
  for (const published of await parts.index.list()) {
    const { id, manifest } = published
    const content = { bytes: manifest.bytes, sha256: partsOf(manifest.key).sha256 }
    // The reader may have it on the local disk.
    const reason = await damageOf(manifest.key, content, null)
    const examined =
      reason === null
        ? await examinePublished(published, parts.reader)
        : damagedManifest(manifest.key, reason)
    verified.push(await verifiedWith(id, examined, damageOf))
  }
  return verified
}

/**
 * Every object must be there with its size. Their contents were verified when they were stored; reading all of them again
 * would take hours.
 *
 * @throws Problem SNP320 for an unknown id, SNP321 when there is no older snapshot, SNP322 when it is damaged, SNP323 when
 *   another snapshot has become current meanwhile
 */
export async function rollBackShared(
  parts: StoredParts,
  wanted: string | undefined,
  by: string,
): Promise<RolledBack> {
  const published = await parts.index.list()
  const before = (await parts.index.current())?.id
  const choice = published.filter(({ id }) =>
    wanted === undefined ? before !== undefined && id < before : id === wanted,
  )
  if (wanted !== undefined && choice.length === 0) {
    throw unknownSnapshot(
      wanted,
      published.map(({ id }) => id),
    )
  }
  const sizes = await sizesOf(parts)
  const damaged: string[] = []
  let first: readonly string[] = []
  for (const candidate of choice) {
    const damages = await damagesOf(candidate, sizes, parts.reader)
    if (damages.length === 0) {
      const { id: snapshot } = candidate
      if (snapshot !== before) await noteReturn(stepsInStorage(parts, parts.installation), snapshot, before)
      const outcome = await parts.index.rollBack(snapshot, { from: before, by })
      // A refresh may have removed it meanwhile.
      if (outcome === 'not-retained') throw unknownSnapshot(snapshot, [])
      if (outcome === 'changed') throw changedMeanwhile(before)
      return { snapshot, before, damaged }
    }
    if (damaged.length === 0) first = damages
    damaged.push(candidate.id)
  }
  const [newest] = damaged
  throw newest === undefined ? nothingToRollBackTo(before) : rollBackDamaged(newest, first)
}

async function damagesOf(
  published: PublishedSnapshot,
  sizes: ReadonlyMap<string, number>,
  reader: ObjectReader,
): Promise<readonly string[]> {
  const examined = await examinePublished(published, reader)
  const { damaged, note } = await verifiedWith(published.id, examined, async (path, { bytes }) => {
    const found = sizes.get(path)
    if (found === undefined) return 'it is missing'
    return found === bytes ? null : `it has ${found} bytes instead of ${bytes}`
  })
  return note === undefined ? damaged : [note]
}

async function verifiedWith(
  id: string,
  { state, manifest, problem }: Examined,
  damageOf: DamageOf,
): Promise<VerifiedSnapshot> {
  // Only another version of Tripfolio can check it.
  if (state === 'other-format') return { id, files: 0, bytes: 0, damaged: [], note: problem.message }
  if (state === 'damaged') return { id, files: 0, bytes: 0, damaged: [problem.message] }
  const entries = allFiles(manifest)
  const damaged: string[] = []
  for (const { path, of, ...content } of entries) {
    const reason = await damageOf(path, content, of)
    if (reason !== null) damaged.push(`${path}: ${reason}`)
  }
  return { id, files: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0), damaged }
}

const damagedManifest = (key: string, reason: string): Examined => damaged(fileDamaged(key, reason))

/** @param of what the object must hold; null for a file beside the records */
type DamageOf = (path: string, content: FileContent, of: CollectionFile | null) => Promise<string | null>

const allFiles = (manifest: Manifest) => [
  ...collectionFilesOf(manifest).map((of) => ({ ...of.entry, of })),
  ...(manifest.files ?? []).map((file) => ({ ...file, of: null })),
]

async function sizesOf({ store, installation }: StoredParts): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  try {
    for await (const { key, bytes } of store.list(prefixOf(installation))) sizes.set(key, bytes)
  } catch (cause) {
    throw storageAway(store.name, cause)
  }
  return sizes
}

/** @throws Problem SNP401 when the storage does not work at the moment */
async function damageInStore(
  store: ObjectStore,
  key: string,
  { bytes, sha256 }: FileContent,
  of: CollectionFile | null,
): Promise<string | null> {
  const damage = await fetchInTime(store, { key, bytes }, async (body, onChunk) => {
    const hash = createHash('sha256')
    const content = of === null ? null : new Uint8Array(bytes)
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      onChunk()
      hash.update(chunk)
      // It may never end.
      if (size + chunk.byteLength > bytes) return `it has more than ${bytes} bytes`
      content?.set(chunk, size)
      size += chunk.byteLength
    }
    if (size !== bytes) return `it has ${size} bytes instead of ${bytes}`
    if (hash.digest('hex') !== sha256) return 'its checksum does not match'
    return (of === null || content === null ? null : await refusalOf(content, of)) ?? 'intact'
  }).catch((cause: unknown) => {
    throw storageAway(store.name, cause)
  })
  if (damage === null) return 'it is missing'
  return damage === 'intact' ? null : damage
}
