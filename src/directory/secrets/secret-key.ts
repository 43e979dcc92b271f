/**
 * The key under which secrets are sealed: the setting, or else a file in the data folder, created when first needed. Nodes that
 * share a store need the setting: each would make a key of its own, and could not open what the others have sealed.
 */
import { join } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { readKeyFile, readOrMakeKeyFile } from '../../kernel/files/key-file.ts'
import { sharedKeyMissing } from './problems.ts'
import { KEY_BYTES } from './sealed-box.ts'

const HEXADECIMAL = /^[0-9a-fA-F]{64}$/

type KeySettings = Pick<Config, 'secretKey' | 'data'> & Partial<Pick<Config, 'store'>>

/**
 * @throws Problem CFG2xx for a key file that cannot be read or created, or that holds no key, and for nodes on one store
 *   that have no key in common
 */
export function secretKey({ secretKey: text, data, store }: KeySettings): Buffer {
  if (text === undefined && store !== undefined) throw sharedKeyMissing()
  if (text === undefined) return readOrMakeKeyFile(keyPath(data), KEY_BYTES)
  return Buffer.from(text, HEXADECIMAL.test(text) ? 'hex' : 'base64')
}

/** Undefined when no process has made it yet. @throws Problem CFG2xx */
export const readSecretKeyFile = (data: string): Buffer | undefined => readKeyFile(keyPath(data), KEY_BYTES)

const keyPath = (data: string): string => join(data, 'secret.key')
