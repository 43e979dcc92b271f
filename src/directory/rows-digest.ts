/**
 * Tells whether two tables hold the same rows, whatever the order in which they are read: the SHA-256 of each row, added up.
 * Texts, numbers, bytes and null are told apart.
 */
import { createHash } from 'node:crypto'

export type TableDigest = { readonly rows: number; readonly sha256: string }

export class RowsDigest {
  #rows = 0
  #sum = 0n

  add(row: readonly unknown[]): void {
    const hash = createHash('sha256').update(JSON.stringify(row, bytesAsHex)).digest('hex')
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) & ALL_BITS
    this.#rows += 1
  }

  digest(): TableDigest {
    return { rows: this.#rows, sha256: this.#sum.toString(16).padStart(64, '0') }
  }
}

const ALL_BITS = 2n ** 256n - 1n

/** Called after `toJSON`, which a Buffer has, so the value is taken from its row. */
function bytesAsHex(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Readonly<Record<string, unknown>>)[key]
  return given instanceof Uint8Array ? { bytes: Buffer.from(given).toString('hex') } : value
}
