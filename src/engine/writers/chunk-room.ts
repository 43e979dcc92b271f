/** The approximate size of chunks, and the memory that they are written to. */

export type ChunkRoom = { readonly chunkBytes: number; readonly memory: ChunkMemory }

/**
 * A chunk of this length is full, for writers that do not know how long the next record is: what is left usually has room for it. Chunks
 * that are longer than the socket's share cost it a tenth more time.
 */
export const fullLength = ({ chunkBytes }: ChunkRoom): number => chunkBytes - (chunkBytes >> 4)

/** Memory for chunks, for readers that reuse it: each chunk begins at the start of the Buffer that was taken for it. */
export type ChunkMemory = {
  /** Returns a Buffer with arbitrary content. */
  readonly take: (byteLength: number) => Buffer
}

export const freshMemory: ChunkMemory = { take: (byteLength) => Buffer.allocUnsafe(byteLength) }
