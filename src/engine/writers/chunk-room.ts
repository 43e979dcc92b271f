/** How large chunks are, about, and where they are written. */

export type ChunkRoom = { readonly chunkBytes: number; readonly memory: ChunkMemory }

/** Where chunks are written, for readers that use memory again: each chunk begins at the beginning of what was taken for it. */
export type ChunkMemory = {
  /** Arbitrary content. */
  readonly take: (byteLength: number) => Buffer
}

export const freshMemory: ChunkMemory = { take: (byteLength) => Buffer.allocUnsafe(byteLength) }
