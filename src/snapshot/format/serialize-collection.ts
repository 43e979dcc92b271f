import { createHash } from 'node:crypto'
import { RecordBatchFileWriter } from 'apache-arrow'
import type { CollectionBuilder } from './collection-builder.ts'

/** The pieces of the file as views over the builder's arrays. The checksum decides whether they are written at all. */
export async function serializeCollection(builder: CollectionBuilder) {
  const writer = new RecordBatchFileWriter()
  const batch = builder.finish()
  writer.write(batch)
  writer.finish()
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of writer) {
    hash.update(chunk)
    chunks.push(chunk)
    bytes += chunk.byteLength
  }
  return { batch, chunks, bytes, sha256: hash.digest('hex') }
}
