/**
 * Turns the text of credential headers into the principal of the account. A credential that is missing, malformed, unknown,
 * disabled, locked or expired gets the same `null` by the same path, so that an answer reveals nothing about an account.
 */
import { isUsable } from '../directory/accounts/account.ts'
import { API_KEY_LENGTH, generateApiKey, hashApiKey } from '../directory/accounts/api-key.ts'
import type { KeyHolder } from '../directory/accounts/key-holder.ts'
import { generatePsk, hashPsk } from '../directory/accounts/psk.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { Principal } from '../kernel/principal.ts'
import { type Soon, whenThere } from '../kernel/soon.ts'

/** A key rotation needs the hash of the API key; the hash of a psk cannot rotate a key. */
type Authenticated = Principal & { readonly keyHash: string }

/** Several values, also joined by commas, are refused. */
type HeaderValue = string | readonly string[] | undefined

/** Synchronous when the account is cached. */
export type Authenticate = (apiKeyHeader: HeaderValue) => Soon<Authenticated | null>

/** Version 1 reads these two headers. If `psk` is sent, even empty, only it counts; else `x-api-key` does. */
export type AuthenticateVersion1 = (
  headers: Readonly<Record<'psk' | 'x-api-key', HeaderValue>>,
) => Soon<Authenticated | null>

type Accounts = Pick<ControlStore['accounts'], 'lookup' | 'noteUse'>

export function createAuthenticator(accounts: Accounts): Authenticate {
  // Hashed and looked up instead of text that cannot be a key, which then costs as much as a wrong key. It is never issued.
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
/** A GUID in any letter case, plain or in the braces that older .NET clients add. */
const GUID = new RegExp(`^ *(?:(${HEX_GROUPS})|\\{(${HEX_GROUPS})\\}) *$`, 'i')

/** The psk in the form of {@link generatePsk}; undefined for text that is not a GUID. */
function asIssued(text: string | undefined): string | undefined {
  const found = text === undefined ? null : GUID.exec(text)
  return (found?.[1] ?? found?.[2])?.toLowerCase()
}

/** The last step for every credential, from either header. */
function admit(accounts: Accounts, holder: KeyHolder | undefined, keyHash: string): Authenticated | null {
  if (holder === undefined || !isUsable(holder, new Date())) return null
  const { accountId, accountName, clientNumber } = holder
  accounts.noteUse(accountId)
  return { accountId, accountName, clientNumber, keyHash }
}
