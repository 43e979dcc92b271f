/**
 * Seals a text under a key by AES-256-GCM, bound to a name: what was sealed for one name does not open under another. Opening
 * returns the text, or undefined when the box was altered, moved to another name or sealed with another key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Nonce, ciphertext, tag. Nonces of 96 random bits are safe for about 2^32 sealings with one key (NIST SP 800-38D, 8.3). */
export function seal(key: Buffer, name: string, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(name))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function unseal(key: Buffer, name: string, sealed: Uint8Array): string | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(name))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
