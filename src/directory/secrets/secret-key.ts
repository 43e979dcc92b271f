/** The key under which secrets are sealed: the setting, or else a file in the data folder, created when first needed. */
import { join } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { readOrMakeKeyFile } from '../../kernel/key-file.ts'
import { KEY_BYTES } from './sealed-box.ts'

const HEXADECIMAL = /^[0-9a-fA-F]{64}$/

/** @throws Problem CFG2xx for a key file that cannot be read or created, or that holds no key */
export function secretKey({ secretKey: text, data }: Pick<Config, 'secretKey' | 'data'>): Buffer {
  if (text === undefined) return readOrMakeKeyFile(join(data, 'secret.key'), KEY_BYTES)
  return Buffer.from(text, HEXADECIMAL.test(text) ? 'hex' : 'base64')
}
