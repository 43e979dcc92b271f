/**
 * The text of credential headers enters, the account's principal leaves. A credential that is missing, malformed, unknown,
 * disabled, locked or expired gets the same `null` by the same path, so that an answer tells nothing about an account.
 */
import { isUsable } from '../directory/accounts/account.ts'
import { API_KEY_LENGTH, generateApiKey, hashApiKey } from '../directory/accounts/api-key.ts'
import type { KeyHolder } from '../directory/accounts/key-holder-cache.ts'
import { generatePsk, hashPsk } from '../directory/accounts/psk.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { Principal } from '../kernel/principal.ts'
import { type Soon, whenThere } from '../kernel/soon.ts'

/** The hash is what a rotation of the account's own key is made with; that of a psk rotates nothing. */
type Authenticated = Principal & { readonly keyHash: string }

/** Several values, or several joined by commas, are no key. */
type HeaderValue = string | readonly string[] | undefined

/** Synchronous for an account that is remembered. */
export type Authenticate = (apiKeyHeader: HeaderValue) => Soon<Authenticated | null>

/** Version 1 reads these two headers. `psk` alone decides as soon as it is sent, even empty; else `x-api-key` does. */
export type AuthenticateVersion1 = (
  headers: Readonly<Record<'psk' | 'x-api-key', HeaderValue>>,
) => Soon<Authenticated | null>

type Accounts = Pick<ControlStore['accounts'], 'lookup' | 'noteUse'>

export function createAuthenticator(accounts: Accounts): Authenticate {
  // Hashed and looked up in place of text that cannot be a key, which then costs what a wrong key costs. Nobody knows it.
  const decoy = generateApiKey()
  return (header) => {
    const given = single(header)
    const keyHash = hashApiKey(given?.length === API_KEY_LENGTH ? given : decoy)
    return whenThere(accounts.lookup(keyHash), (holder) => admit(accounts, holder, keyHash))
  }
}

export function createVersion1Authenticator(
  accounts: Accounts & Pick<ControlStore['accounts'], 'lookupPsk'>,
): AuthenticateVersion1 {
  const byApiKey = createAuthenticator(accounts)
  const decoy = generatePsk()
  return ({ psk, 'x-api-key': apiKey }) => {
    if (psk === undefined) return byApiKey(apiKey)
    const keyHash = hashPsk(asIssued(single(psk)) ?? decoy)
    return whenThere(accounts.lookupPsk(keyHash), (holder) => admit(accounts, holder, keyHash))
  }
}

const single = (header: HeaderValue): string | undefined =>
  typeof header === 'object' ? (header.length === 1 ? header[0] : undefined) : header

const HEX_GROUPS = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** A GUID in any letter case, bare or in the braces that older .NET clients put around it. */
const GUID = new RegExp(`^ *(?:(${HEX_GROUPS})|\\{(${HEX_GROUPS})\\}) *$`, 'i')

/** The form that {@link generatePsk} makes; undefined for text that is no GUID. */
function asIssued(text: string | undefined): string | undefined {
  const found = text === undefined ? null : GUID.exec(text)
  return (found?.[1] ?? found?.[2])?.toLowerCase()
}

/** Where every credential arrives, whichever header it came in. */
function admit(accounts: Accounts, holder: KeyHolder | undefined, keyHash: string): Authenticated | null {
  if (holder === undefined || !isUsable(holder, new Date())) return null
  const { accountId, accountName, clientNumber } = holder
  accounts.noteUse(accountId)
  return { accountId, accountName, clientNumber, keyHash }
}
