/**
 * A manifest as an object: compressed JSON under a key with its checksum. 50,000 clients take about 10 MB, most of it the
 * checksums of their 200,000 files. A refresh writes it once, whatever has changed.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { FORMAT_VERSION } from '../format/file-format.ts'
import { type CountedManifest, damaged, type Examined } from '../manifest.ts'
import { hasFormat, isCountedManifest, isManifest, type Manifest } from '../manifest-shape.ts'
import { fileDamaged, isUnavailable, otherFormat } from '../problems.ts'
import { partsOf } from './object-keys.ts'
import type { ObjectReader } from './object-reader.ts'
import type { ObjectContent } from './object-store.ts'
import type { PublishedSnapshot } from './snapshot-index.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

export async function manifestObject(manifest: Manifest): Promise<ObjectContent> {
  const content = await compress(JSON.stringify(manifest), { level: 1 })
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { chunks: [content], bytes: content.byteLength, sha256 }
}

/** @throws Problem SNP301 when the object is missing, SNP401 while that is not known */
export async function examineManifestObject(
  { id, manifest: { key, bytes } }: PublishedSnapshot,
  reader: ObjectReader,
): Promise<Examined> {
  const manifest = await readJson(key, bytes, reader)
  if (isManifest(manifest) && manifest.id === id) return { state: 'intact', manifest, problem: null }
  if (hasFormat(manifest) && manifest.format !== FORMAT_VERSION) {
    return {
      state: 'other-format',
      manifest: null,
      problem: otherFormat(id, manifest.format, FORMAT_VERSION),
    }
  }
  return damaged(fileDamaged(key, 'it is not the manifest of this snapshot'))
}

/** The counts in a manifest of any format. Null when there is none. */
export async function countedManifestObject(
  published: PublishedSnapshot | undefined,
  reader: ObjectReader,
): Promise<CountedManifest | null> {
  if (published === undefined) return null
  const { key, bytes } = published.manifest
  const manifest = await readJson(key, bytes, reader).catch((error: unknown) => {
    if (isUnavailable(error)) throw error
    return null
  })
  return isCountedManifest(manifest) ? manifest : null
}

async function readJson(key: string, bytes: number, reader: ObjectReader): Promise<unknown> {
  const content = await reader.load({ key, bytes, sha256: partsOf(key).sha256 })
  return JSON.parse((await decompress(content)).toString('utf8'))
}
