/** Makes and hashes API keys. A key leaves the process once, in the response to the request that created it. */
import { hash, randomBytes } from 'node:crypto'

export const API_KEY_LENGTH = 64

/** 48 random bytes as base64: 64 characters, none of them padding (specification 2.8). */
export const generateApiKey = (): string => randomBytes(48).toString('base64')

/**
 * One pass of SHA-256, hexadecimal. A slow password hash would protect keys that can be guessed; 384 random bits cannot,
 * and this runs in every request.
 */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
