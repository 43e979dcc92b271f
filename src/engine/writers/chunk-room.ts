/** The approximate size of chunks, and the memory that they are written to. */

export type ChunkRoom = { readonly chunkBytes: number; readonly memory: ChunkMemory }

/** Memory for chunks, for readers that reuse it: each chunk begins at the start of the Buffer that was taken for it. */
export type ChunkMemory = {
  /** Returns a Buffer with arbitrary content. */
  readonly take: (byteLength: number) => Buffer
}

export const freshMemory: ChunkMemory = { take: (byteLength) => Buffer.allocUnsafe(byteLength) }
