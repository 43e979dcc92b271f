/**
 * Decides by name which headers, parameters, members and elements hold a credential. Letter case and separators do not matter.
 * The last word decides: `accessToken` names a credential, `tokenCount` does not.
 */

/** Replaces credentials in the history and in logs. */
export const REDACTED = '[redacted]'

/** A name is a credential when its letters and digits end with one of these, as in `client_secret` and `X-Api-Key`. */
const ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'signature',
  'credential',
  'authorization',
  'apikey',
  'privatekey',
  'secretkey',
  'accesskey',
  'sharedkey',
  'signingkey',
  'encryptionkey',
  'subscriptionkey',
  'masterkey',
  'accountkey',
  'authkey',
  'functionskey',
  'connectionstring',
  'sessionkey',
  'sessionid',
  'sessid',
  'clientassertion',
  'setcookie',
]

/** Words that are too short to be looked for at the end of other words. */
const WORDS: ReadonlySet<string> = new Set(['psk', 'pwd', 'jwt', 'otp', 'totp', 'sig', 'cookie', 'cookies'])

/** Plurals. A number as the value of such a name is a count, not a credential. */
const PLURALS = ['passwords', 'secrets', 'tokens', 'credentials', 'apikeys', 'privatekeys', 'signatures']

/** Words that may follow the word that decides: `password_confirmation`, `tokenValue`, `secret2`. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'confirmation',
  'confirm',
  'repeat',
  'repeated',
  'again',
  'value',
  'text',
  'hash',
  'hex',
  'base64',
  'encoded',
])

const HEADER_PARTS = ['authorization', 'signature', 'token', 'secret', 'password', 'api-key', 'cookie']

/** Every name of a credential contains one of these. Most names are ruled out by this one look. */
export const NAME_HINTS =
  'pass|pwd|secret|token|sig|cred|auth|key|sess|assertion|cookie|psk|jwt|otp|connection'
const HINT = new RegExp(NAME_HINTS, 'i')

/** Longer names are not examined, because that would take too long. */
const LONGEST_NAME = 200

/** @param value the value with this name, if it is not an array or an object */
export function isCredentialName(name: string, value = ''): boolean {
  if (!HINT.test(name) || name.length > LONGEST_NAME) return false
  const words = wordsOf(name)
  while (words.length > 1 && FOLLOWING.has(words.at(-1)!)) words.pop()
  const joined = words.join('').replace(/\d+$/, '')
  if (WORDS.has(words.at(-1)?.replace(/\d+$/, '') ?? '')) return true
  if (ENDINGS.some((ending) => joined.endsWith(ending))) return true
  return PLURALS.some((ending) => joined.endsWith(ending)) && !/^\d{1,12}$/.test(value)
}

/** Stricter than {@link isCredentialName}, because services invent headers of their own for credentials. */
export function isCredentialHeader(name: string): boolean {
  const known = knownHeaders.get(name)
  if (known !== undefined) return known
  const isOne = HEADER_PARTS.some((part) => name.toLowerCase().includes(part)) || isCredentialName(name)
  if (knownHeaders.size === MOST_KNOWN) knownHeaders.clear()
  knownHeaders.set(name, isOne)
  return isOne
}

/** A cache, because requests repeat the same few headers. */
const knownHeaders = new Map<string, boolean>()
const MOST_KNOWN = 1000

/** Splits names such as `X-Api-Key`, `user[api_key]` and `userApiKEY` into words in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
