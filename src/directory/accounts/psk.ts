/**
 * Makes and hashes psks. A psk is a GUID for version 1 that an operator issues to an account in addition to its API key. It is
 * always random, and leaves the process once, in the response to the request that created it.
 */
import { hash, randomUUID } from 'node:crypto'

/** A UUID of version 4 in lower case, of which 122 bits are random. */
export const generatePsk = (): string => randomUUID()

/**
 * One pass of SHA-256 over the form in which it was issued, hexadecimal. A slow hash protects what can be guessed; a psk,
 * like an API key, cannot: at 10^21 guesses a second, half of the 2^122 GUIDs take 80 million years. This runs in every request.
 */
export const hashPsk = (psk: string): string => hash('sha256', psk, 'hex')
