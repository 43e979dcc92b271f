/**
 * The psk of version 1: a GUID that an operator issues to an account beside its API key. Made here, hashed here, never
 * chosen by anybody; it leaves the process once, in the answer to whoever asked for it.
 */
import { hash, randomUUID } from 'node:crypto'

/** A UUID of version 4 in lower case, of which 122 bits are random. */
export const generatePsk = (): string => randomUUID()

/**
 * One pass of SHA-256 over the form in which it was issued, hexadecimal. As with API keys a slow hash would protect what
 * can be guessed: at 10^21 guesses a second, half of the 2^122 GUIDs take 80 million years. This runs in every request.
 */
export const hashPsk = (psk: string): string => hash('sha256', psk, 'hex')
