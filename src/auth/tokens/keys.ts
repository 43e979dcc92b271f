/**
 * Finds the key that checks a token: a secret, the local key file, a file of public keys that is read again when it changes, or
 * a server of keys (`key-server.ts`).
 */
import { readFileSync, statSync } from 'node:fs'
import type { JWTVerifyGetKey } from 'jose'
import { readKeyFile } from '../../kernel/files/key-file.ts'
import { keysUnavailable } from '../problems.ts'
import { tokenKeyServer } from './key-server.ts'
import { type Jose, parseKeys, tokenKeySet } from './key-set.ts'
import { LOCAL_KEY_BYTES, type TokenKeySource } from './rules.ts'

/** The result throws a Problem while keys cannot be read, and an error of jose when no key fits the token. */
export function openTokenKeys(jose: Jose, source: TokenKeySource, now: () => number): JWTVerifyGetKey {
  switch (source.kind) {
    case 'server':
      return tokenKeyServer(jose, source.url, now)
    case 'file':
      return keysInFile(jose, source.path)
    case 'secret':
      return secretKey(source.secret)
    case 'local':
      return localKey(jose, source.path)
  }
}

/** Why a file of public keys cannot be used at the moment; null when it can, and for other sources. */
export function tokenKeysFault(source: TokenKeySource): string | null {
  if (source.kind !== 'file') return null
  try {
    parseKeys(readFileSync(source.path, 'utf8'))
    return null
  } catch (cause) {
    return keysUnavailable(source.path, cause).message
  }
}

function secretKey(secret: string): JWTVerifyGetKey {
  const key = Buffer.from(secret)
  return async () => key
}

/** Read for each token that is not cached, so that a removed key stops working. */
function localKey({ errors }: Jose, path: string): JWTVerifyGetKey {
  return async () => {
    const key = readKeyFile(path, LOCAL_KEY_BYTES)
    if (key === undefined) throw new errors.JWKSNoMatchingKey('no token was issued here yet')
    return key
  }
}

/** A damaged file does not keep its earlier keys valid: the change may have been meant to remove them. */
function keysInFile(jose: Jose, path: string): JWTVerifyGetKey {
  let state = ''
  let keys: JWTVerifyGetKey
  return async (header, token) => {
    try {
      const { mtimeNs, size, ino } = statSync(path, { bigint: true })
      const found = `${ino} ${size} ${mtimeNs}`
      if (found !== state) keys = tokenKeySet(jose, readFileSync(path, 'utf8'), path)
      state = found
    } catch (error) {
      throw keysUnavailable(path, error)
    }
    return keys(header, token)
  }
}
