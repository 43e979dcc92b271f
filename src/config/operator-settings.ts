/**
 * The settings of tokens, operators' roles and sign-in, and which of them do not fit together. A value that would weaken the
 * check of tokens is refused when the service starts, not with the first token.
 */
import { type OperatorRole, operatorRoles, type RoleMapping } from '../kernel/user.ts'
import { optional, setting } from './setting.ts'
import { oneOf, type SettingType, text } from './setting-types.ts'

/** Pairs such as `Tripfolio.Support=support`; the last `=` of a pair divides it. */
const roleMapping: SettingType<string> = {
  expected: `pairs of a role of the token and one of ${operatorRoles.join(', ')}, such as Tripfolio.Support=support,TF-Admins=admin`,
  read: (raw) => (typeof raw === 'string' && readRoleMapping(raw) !== null ? raw : undefined),
  show: String,
}

/** @returns null for text that is no mapping */
export function readRoleMapping(text: string): RoleMapping | null {
  const mapping = new Map<string, OperatorRole>()
  for (const pair of text.split(',')) {
    const end = pair.lastIndexOf('=')
    const name = pair.slice(0, Math.max(end, 0)).trim()
    const role = operatorRoles.find((one) => one === pair.slice(end + 1).trim())
    // One name cannot give two roles: which of them was meant?
    if (name === '' || role === undefined || mapping.has(name)) return null
    mapping.set(name, role)
  }
  return mapping
}

/** Keys that an attacker could change on their way could sign any token. */
const tokenKeys: SettingType<string> = {
  expected: 'an https URL without user name, an http URL of this machine, or the path of a file',
  read: (raw) => (typeof raw === 'string' && /\S/.test(raw) && isSafe(raw) ? raw : undefined),
  show: String,
}

/** The identity provider of a console; a browser is sent there. */
const authorityUrl: SettingType<string> = {
  expected: 'an https URL without user name and query, or an http URL of this machine',
  read: (raw) =>
    typeof raw === 'string' && isWeb(raw) && isSafe(raw) && !/[?#]/.test(raw) ? raw : undefined,
  show: String,
}

/** The identity provider's further addresses. Every one would undo the rule that limits where a console may send. */
const providerOrigins: SettingType<string> = {
  expected:
    'https origins such as https://token.example.com, or http origins of this machine, with commas between them',
  read: (raw) =>
    typeof raw === 'string' && raw.split(',').every((one) => isOrigin(one.trim())) ? raw : undefined,
  show: String,
}

const isOrigin = (text: string): boolean =>
  isWeb(text) && isSafe(text) && !text.includes('*') && URL.parse(text)?.origin === text

const isWeb = (text: string): boolean => /^https?:/i.test(text)

function isSafe(text: string): boolean {
  if (!isWeb(text)) return true
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isThisMachine(url.hostname)
}

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Rows of the table in `settings.ts`. */
export const operatorSettings = {
  jwtKeys: optional(tokenKeys, {
    help: 'Where to read the public keys (JWKS) that check the tokens of callers and operators.',
  }),
  jwtSecret: optional(text('a text of 32 bytes or more', /^.{32,}$/s), {
    help: 'Shared secret (HS256) that checks tokens when there are no public keys. Without both, the service accepts tokens of `tripfolio token issue`.',
    secret: true,
  }),
  jwtAlgorithms: optional(
    text(
      'names of algorithms such as RS256 with commas between them',
      /^(?:[REP]S(?:256|384|512)|EdDSA)(?:, *(?:[REP]S(?:256|384|512)|EdDSA))*$/,
    ),
    {
      help: 'Signature algorithms that are accepted with `jwtKeys`; by default RS256, PS256, ES256 and EdDSA.',
    },
  ),
  jwtIssuer: optional(text('a text'), { help: 'Required value of the `iss` claim of a token.' }),
  jwtAudience: optional(text('a text'), {
    help: 'Required value of the `aud` claim of a token, or one of its values.',
  }),
  jwtRolesClaim: setting(text('the path of a claim, with dots'), {
    default: 'roles',
    help: 'The claim of a token that lists the roles of its holder, such as `roles` or `realm_access.roles`.',
  }),
  jwtIdentityClaim: setting(text('the path of a claim, with dots'), {
    default: 'sub',
    help: 'The claim of a token that says who its holder is: `user:VALUE` in the audit trail, in notifications and for scripts. `email` counts when `email_verified` is `true`; any other claim than `sub` and `email` counts in tokens of `jwtVerifyingIssuers`. Do not name a claim that holders can choose.',
  }),
  jwtVerifyingIssuers: optional(
    text('values of the `iss` claim with commas between them', /^[^,\s]+(?:, *[^,\s]+)*$/),
    {
      help: 'Issuers (`iss`) that let nobody choose an address or a name of another: their `email` counts when the token has no `email_verified`, and so does the claim of `jwtIdentityClaim`.',
    },
  ),
  adminRoles: optional(roleMapping, {
    help: 'Which roles of a token make an operator `viewer`, `support`, `author` or `admin` in the admin API, such as `Tripfolio.Support=support,TF-Admins=admin`. Without it, a token has the role whose name it carries; with it, only the named roles count, and `admin`.',
  }),
  signInAuthority: optional(authorityUrl, {
    help: 'Issuer URL of the identity provider at which a console signs operators in (OpenID Connect), such as `https://login.example.com/tenant/v2.0`. It needs `jwtKeys` and `signInClientId`. `GET /api/admin/v1/sign-in` tells it to everybody.',
  }),
  signInClientId: optional(text('the id of a client', /^\S+$/), {
    help: 'The id by which the identity provider of `signInAuthority` knows the console. It is public.',
  }),
  signInScopes: setting(text('names of scopes with spaces between them', /^\S+(?: \S+)*$/), {
    default: 'openid profile email',
    help: 'The scopes that a console asks the identity provider for.',
  }),
  signInOrigins: optional(providerOrigins, {
    help: 'Further origins that a console calls to sign operators in, separated by commas: where `signInAuthority` answers from when its endpoint of tokens is on another host, such as `https://oauth2.googleapis.com`.',
  }),
  signInTokens: setting(oneOf('allow', 'refuse'), {
    default: 'allow',
    help: 'Whether a console offers a field to paste a token into. The admin API itself accepts every valid token.',
  }),
} as const

type OperatorSettings = Readonly<
  Record<
    | 'jwtKeys'
    | 'jwtSecret'
    | 'jwtAlgorithms'
    | 'jwtIdentityClaim'
    | 'jwtVerifyingIssuers'
    | 'signInAuthority'
    | 'signInClientId'
    | 'signInScopes'
    | 'signInOrigins'
    | 'signInTokens',
    string | undefined
  >
>

/** Where a console calls the identity provider; none without one. */
export const signInOrigins = ({
  signInAuthority,
  signInOrigins: further = '',
}: Pick<OperatorSettings, 'signInAuthority' | 'signInOrigins'>): readonly string[] =>
  signInAuthority === undefined
    ? []
    : [
        ...new Set([
          new URL(signInAuthority).origin,
          ...further.split(',').flatMap((one) => one.trim() || []),
        ]),
      ]

export type OperatorFault = {
  readonly setting: keyof OperatorSettings
  readonly expected: string
  /** What was found, in words: one of the values may be a secret. */
  readonly found: string
}

/** Faults of values that are valid alone, but not together. */
export function operatorFaults(values: OperatorSettings): readonly OperatorFault[] {
  return rules.filter(({ applies }) => applies(values)).map(({ applies, ...fault }) => fault)
}

const rules: readonly (OperatorFault & { readonly applies: (values: OperatorSettings) => boolean })[] = [
  {
    applies: ({ jwtKeys, jwtSecret }) => jwtKeys !== undefined && jwtSecret !== undefined,
    setting: 'jwtSecret',
    expected:
      'only one of jwtKeys and jwtSecret: keep jwtKeys if an identity provider signs tokens, jwtSecret if they are signed with a shared secret',
    found: 'both',
  },
  {
    applies: ({ jwtKeys, jwtAlgorithms }) => jwtKeys === undefined && jwtAlgorithms !== undefined,
    setting: 'jwtAlgorithms',
    expected: 'it only together with jwtKeys: tokens that are signed with a shared secret are always HS256',
    found: 'it without jwtKeys',
  },
  {
    applies: ({ jwtIdentityClaim = 'sub', jwtVerifyingIssuers }) =>
      !['sub', 'email'].includes(jwtIdentityClaim) && jwtVerifyingIssuers === undefined,
    setting: 'jwtIdentityClaim',
    expected:
      'sub or email, or also jwtVerifyingIssuers, the issuers whose holders cannot choose the value of the claim',
    found: 'another claim without jwtVerifyingIssuers',
  },
  {
    applies: ({ signInAuthority, jwtKeys }) => signInAuthority !== undefined && jwtKeys === undefined,
    setting: 'signInAuthority',
    expected:
      'it only together with jwtKeys, the public keys that check the tokens of this identity provider',
    found: 'it without jwtKeys',
  },
  {
    applies: ({ signInAuthority, signInClientId }) =>
      signInAuthority !== undefined && signInClientId === undefined,
    setting: 'signInAuthority',
    expected: 'it only together with signInClientId, by which the identity provider knows the console',
    found: 'it without signInClientId',
  },
  {
    applies: ({ signInAuthority, signInClientId }) =>
      signInAuthority === undefined && signInClientId !== undefined,
    setting: 'signInClientId',
    expected: 'it only together with signInAuthority',
    found: 'it without signInAuthority',
  },
  {
    applies: ({ signInAuthority, signInOrigins }) =>
      signInAuthority === undefined && signInOrigins !== undefined,
    setting: 'signInOrigins',
    expected: 'it only together with signInAuthority',
    found: 'it without signInAuthority',
  },
  {
    applies: ({ signInAuthority, signInTokens }) =>
      signInAuthority === undefined && signInTokens === 'refuse',
    setting: 'signInTokens',
    expected: 'allow without signInAuthority: otherwise nobody could sign in',
    found: "'refuse'",
  },
]
