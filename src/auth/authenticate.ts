/**
 * The text of an `X-API-Key` header enters, the account's principal leaves. A key that is missing, malformed, unknown,
 * disabled, locked or expired gets the same `null` by the same path, so that an answer tells nothing about an account.
 */
import { isUsable } from '../directory/account.ts'
import { API_KEY_LENGTH, generateApiKey, hashApiKey } from '../directory/api-key.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { Principal } from '../kernel/principal.ts'

/** The hash is what a rotation of the account's own key is made with. */
type Authenticated = Principal & { readonly keyHash: string }

/** Several values, or several joined by commas, are no key. */
export type Authenticate = (apiKeyHeader: string | readonly string[] | undefined) => Authenticated | null

export function createAuthenticator(
  accounts: Pick<ControlStore['accounts'], 'lookup' | 'noteUse'>,
): Authenticate {
  // Hashed and looked up in place of text that cannot be a key, which then costs what a wrong key costs. Nobody knows it.
  const decoy = generateApiKey()
  return (header) => {
    const given = typeof header === 'object' && header.length === 1 ? header[0] : header
    const key = typeof given === 'string' && given.length === API_KEY_LENGTH ? given : decoy
    const keyHash = hashApiKey(key)
    const holder = accounts.lookup(keyHash)
    if (holder === undefined || !isUsable(holder, new Date())) return null
    const { accountId, accountName, clientNumber } = holder
    accounts.noteUse(accountId)
    return { accountId, accountName, clientNumber, keyHash }
  }
}
