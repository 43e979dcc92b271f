/** For tests: joins all chunks of a result of any engine. */
import type { Chunks } from '../writers/write-records.ts'

export async function joined(chunks: Chunks): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}
