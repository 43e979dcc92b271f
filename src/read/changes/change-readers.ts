/**
 * Which lists of changes were asked for since the process started, in memory of a fixed size that its threads share. Two lists
 * may have the same place: then one of them counts as asked for too.
 */
import { hash } from 'node:crypto'
import type { ListName } from '../../schema/datasets.ts'

export type ChangeReaders = {
  readonly note: (clientNumber: string, list: ListName) => void
  readonly has: (clientNumber: string, list: ListName) => boolean
}

/** With 1,000 lists that are read, 15 of 1,000 others count as read. */
const BITS = 2 ** 16
const BITS_PER_WORD = 32

export const changeReadersMemory = (): SharedArrayBuffer => new SharedArrayBuffer(BITS / 8)

export function openChangeReaders(memory = changeReadersMemory()): ChangeReaders {
  const words = new Int32Array(memory)
  const placeOf = (clientNumber: string, list: ListName) => {
    const place = hash('sha256', `${list}\n${clientNumber}`, 'buffer').readUInt16LE()
    return { word: Math.floor(place / BITS_PER_WORD), bit: 1 << (place % BITS_PER_WORD) }
  }
  return {
    note: (clientNumber, list) => {
      const { word, bit } = placeOf(clientNumber, list)
      Atomics.or(words, word, bit)
    },
    has: (clientNumber, list) => {
      const { word, bit } = placeOf(clientNumber, list)
      return (Atomics.load(words, word) & bit) !== 0
    },
  }
}
