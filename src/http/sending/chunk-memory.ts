/**
 * Memory for the chunks of streamed answers, reused as soon as the socket or the coder has taken a chunk. An export at full
 * speed would otherwise allocate a gigabyte a second, which costs more than filling it.
 */
import type { ChunkMemory } from '../../engine/writers/chunk-room.ts'

/** Chunks exceed their target by up to one record, so a few sizes of memory fit all of them. */
const SIZE_STEP = 32 * 1024

export class ReusedMemory implements ChunkMemory {
  readonly #mostKeptBytes: number
  readonly #free: ArrayBuffer[] = []
  /** The memory that was made here. Node's own may be a pool that other Buffers share. */
  readonly #made = new WeakSet<ArrayBufferLike>()
  #keptBytes = 0

  constructor(mostKeptBytes: number) {
    this.#mostKeptBytes = mostKeptBytes
  }

  take(byteLength: number): Buffer {
    const place = this.#free.findLastIndex((room) => room.byteLength >= byteLength)
    const [known] = place < 0 ? [] : this.#free.splice(place, 1)
    if (known !== undefined) this.#keptBytes -= known.byteLength
    const room = known ?? new ArrayBuffer(SIZE_STEP * Math.ceil(byteLength / SIZE_STEP))
    if (known === undefined) this.#made.add(room)
    return Buffer.from(room, 0, byteLength)
  }

  /** The chunk must not be read afterwards. Memory that is not released, or was not taken here, is only not reused. */
  release({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer) || !this.#made.has(buffer)) return
    if (this.#keptBytes + buffer.byteLength > this.#mostKeptBytes) return
    this.#free.push(buffer)
    this.#keptBytes += buffer.byteLength
  }
}
