/** How large chunks are, about, and where they are written. */
import type { ChunkMemory } from '../../engine.ts'

export type ChunkRoom = { readonly chunkBytes: number; readonly memory: ChunkMemory }
