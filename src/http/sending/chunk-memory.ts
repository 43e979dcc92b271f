/**
 * Memory for the chunks of streamed answers, used again as soon as the socket or the coder has taken what stood in it. An
 * export at full speed would otherwise ask for a gigabyte of fresh memory a second, which costs more than to fill it.
 */
import type { ChunkMemory } from '../../engine/writers/chunk-room.ts'

/** Chunks exceed what they aim at by a record, so that rooms of a few sizes serve them all. */
const SIZE_STEP = 32 * 1024

export class ReusedMemory implements ChunkMemory {
  readonly #mostKeptBytes: number
  readonly #free: ArrayBuffer[] = []
  #keptBytes = 0

  constructor(mostKeptBytes: number) {
    this.#mostKeptBytes = mostKeptBytes
  }

  take(byteLength: number): Buffer {
    const place = this.#free.findLastIndex((room) => room.byteLength >= byteLength)
    const [known] = place < 0 ? [] : this.#free.splice(place, 1)
    if (known !== undefined) this.#keptBytes -= known.byteLength
    const room = known ?? new ArrayBuffer(SIZE_STEP * Math.ceil(byteLength / SIZE_STEP))
    return Buffer.from(room, 0, byteLength)
  }

  /** Nobody may look at the chunk afterwards. One that is not given back costs nothing but its reuse. */
  give({ buffer, byteOffset }: Uint8Array): void {
    if (byteOffset !== 0 || !(buffer instanceof ArrayBuffer)) return
    if (this.#keptBytes + buffer.byteLength > this.#mostKeptBytes) return
    this.#free.push(buffer)
    this.#keptBytes += buffer.byteLength
  }
}
