/** For tests: all that is written of a result, of whichever engine. */
import type { Chunks } from '../writers/write-records.ts'

export async function joined(chunks: Chunks): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}
