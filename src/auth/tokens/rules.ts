/**
 * Turns the settings of tokens into the rules by which tokens are checked and issued. The settings fit together:
 * `config/operator-settings.ts` has refused others. Reads no file and calls no server.
 */
import { join } from 'node:path'
import type { SettingValues } from '../../config/settings.ts'

export type TokenRules = {
  readonly keys: TokenKeySource
  readonly algorithms: readonly string[]
  /** Required values of `iss` and `aud`; undefined accepts any value. */
  readonly issuer: string | undefined
  readonly audience: string | undefined
  /** The claim with the roles: `roles`, or a path such as `realm_access.roles`. */
  readonly rolesClaim: string
  /** The claim that says who the holder is: `sub`, `email`, or another one of a verifying issuer. */
  readonly identityClaim: string
  /** Issuers that vouch for the addresses and the identity claim of their tokens. */
  readonly verifyingIssuers: readonly string[]
  /** Whether tokens of several issuers may be accepted: identities then name theirs. */
  readonly namesIssuer: boolean
}

/** Public keys or a shared secret, never both: a token must not choose how it is checked. */
export type TokenKeySource =
  | { readonly kind: 'server'; readonly url: URL }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'secret'; readonly secret: string }
  /** A key file, which the first `tripfolio token issue` makes. */
  | { readonly kind: 'local'; readonly path: string }

/** The `iss` of tokens that are issued here. */
export const LOCAL_ISSUER = 'tripfolio'

/** The length of the digest of HS256: RFC 7518 section 3.2. */
export const LOCAL_KEY_BYTES = 32

export type TokenSettings = Pick<
  SettingValues,
  | 'data'
  | 'jwtKeys'
  | 'jwtSecret'
  | 'jwtAlgorithms'
  | 'jwtIssuer'
  | 'jwtAudience'
  | 'jwtRolesClaim'
  | 'jwtIdentityClaim'
  | 'jwtVerifyingIssuers'
>

export function tokenRules(settings: TokenSettings): TokenRules {
  const keys = keySource(settings)
  const shared = keys.kind === 'secret' || keys.kind === 'local'
  return {
    keys,
    algorithms: shared ? ['HS256'] : signatureAlgorithms(settings.jwtAlgorithms),
    issuer: settings.jwtIssuer ?? (keys.kind === 'local' ? LOCAL_ISSUER : undefined),
    audience: settings.jwtAudience,
    rolesClaim: settings.jwtRolesClaim,
    identityClaim: settings.jwtIdentityClaim,
    verifyingIssuers: settings.jwtVerifyingIssuers?.split(',').map((one) => one.trim()) ?? [],
    // One secret is one issuer, whatever it calls itself; a set of public keys may be that of several.
    namesIssuer: !shared && settings.jwtIssuer === undefined,
  }
}

function keySource({ data, jwtKeys, jwtSecret }: TokenSettings): TokenKeySource {
  if (jwtSecret !== undefined) return { kind: 'secret', secret: jwtSecret }
  if (jwtKeys === undefined) return { kind: 'local', path: join(data, 'token.key') }
  if (!/^https?:/i.test(jwtKeys)) return { kind: 'file', path: jwtKeys }
  return { kind: 'server', url: new URL(jwtKeys) }
}

/** RFC 9864 gives EdDSA on curve Ed25519, the only one here, its own name. */
function signatureAlgorithms(names = 'RS256,PS256,ES256,EdDSA'): string[] {
  return names.split(/, */).flatMap((name) => (name === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [name]))
}
