/**
 * Shared snapshots as a source: the control store says which are published, and their manifests and files are objects that
 * are read through the cache on the local disk. Every node reads every client.
 */
import { Problem } from '../../kernel/problem.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import { damaged, type Examined } from '../manifest.ts'
import { fileDamaged, isUnavailable, reasonOf, snapshotGone } from '../problems.ts'
import { type FileSource, type ManifestSource, SHARED_PARALLEL_LOADS } from '../snapshot-source.ts'
import { examineManifestObject } from './manifest-object.ts'
import type { ObjectReader } from './object-reader.ts'
import { isObjectMissing } from './problems.ts'
import type { PublishedSnapshot, ReadIndex } from './snapshot-index.ts'

export function sharedFileSource(index: Pick<ReadIndex, 'find'>, reader: ObjectReader): FileSource {
  const removed = new Set<string>()
  return {
    load: async ({ snapshot, entry }) => {
      try {
        return await reader.load({ key: entry.path, bytes: entry.bytes, sha256: entry.sha256 })
      } catch (error) {
        // A node that did not reach the control store for long answers from a snapshot that others have removed meanwhile.
        // While it does not reach it, that cannot be told from damage, and this throws.
        if (isObjectMissing(error) && (await index.find(snapshot)) === null) removed.add(snapshot)
        throw error
      }
    },
    wasRemoved: (snapshot) => removed.has(snapshot),
  }
}

export function sharedManifestSource(index: ReadIndex, reader: ObjectReader): ManifestSource {
  async function examine(id: string): Promise<Examined> {
    const published = await index.find(id)
    return published === null ? damaged(snapshotGone(id)) : examinePublished(published, reader)
  }
  return {
    currentId: async () => (await index.current())?.id,
    ids: async () => (await index.list()).map(({ id }) => id),
    examine,
    fileBeside: async (id, name) => {
      const { manifest } = await examine(id)
      const file = manifest?.files?.find((each) => each.name === name)
      return file === undefined ? null : reader.path({ ...file, key: file.path })
    },
    parallelLoads: SHARED_PARALLEL_LOADS,
  }
}

/** @throws Problem SNP401 while that is not known */
export async function examinePublished(
  published: PublishedSnapshot,
  reader: ObjectReader,
): Promise<Examined> {
  try {
    return await examineManifestObject(published, reader)
  } catch (error) {
    if (isUnavailable(error) || isOutOfFiles(error)) throw error
    return damaged(
      error instanceof Problem ? error : fileDamaged(published.manifest.key, reasonOf(error), error),
    )
  }
}
