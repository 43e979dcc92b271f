/**
 * Which headers, parameters, members and elements hold a credential, by their names, in any case and with anything between the
 * words. The last word decides: `accessToken` names a credential, `tokenCount` does not.
 */

/** What stands in the place of a credential, in the history and in logs. */
export const REDACTED = '[redacted]'

/** A name whose letters and digits end in one of these, as in `client_secret`, `newPassword` and `X-Api-Key`. */
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

/** Too short to be looked for at the end of other words. */
const WORDS: ReadonlySet<string> = new Set(['psk', 'pwd', 'jwt', 'otp', 'totp', 'sig', 'cookie', 'cookies'])

/** Several of them; a number beside such a name says how many. */
const PLURALS = ['passwords', 'secrets', 'tokens', 'credentials', 'apikeys', 'privatekeys', 'signatures']

/** What follows the word that decides: `password_confirmation`, `tokenValue`, `secret2`. */
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

/** Something of this is in all of them; most names are done with after this one look. */
export const NAME_HINTS =
  'pass|pwd|secret|token|sig|cred|auth|key|sess|assertion|cookie|psk|jwt|otp|connection'
const HINT = new RegExp(NAME_HINTS, 'i')

/** Longer ones name nothing; looking at them would cost too much. */
const LONGEST_NAME = 200

/** @param value what the name stands over, as far as it is a plain one */
export function isCredentialName(name: string, value = ''): boolean {
  if (!HINT.test(name) || name.length > LONGEST_NAME) return false
  const words = wordsOf(name)
  while (words.length > 1 && FOLLOWING.has(words.at(-1)!)) words.pop()
  const joined = words.join('').replace(/\d+$/, '')
  if (WORDS.has(words.at(-1)?.replace(/\d+$/, '') ?? '')) return true
  if (ENDINGS.some((ending) => joined.endsWith(ending))) return true
  return PLURALS.some((ending) => joined.endsWith(ending)) && !/^\d{1,12}$/.test(value)
}

/** Of headers more is taken away, since each service has its own. */
export function isCredentialHeader(name: string): boolean {
  const known = knownHeaders.get(name)
  if (known !== undefined) return known
  const isOne = HEADER_PARTS.some((part) => name.toLowerCase().includes(part)) || isCredentialName(name)
  if (knownHeaders.size === MOST_KNOWN) knownHeaders.clear()
  knownHeaders.set(name, isOne)
  return isOne
}

/** Every request has the same few again. */
const knownHeaders = new Map<string, boolean>()
const MOST_KNOWN = 1000

/** `X-Api-Key`, `user[api_key]` and `userApiKEY` in words, in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
