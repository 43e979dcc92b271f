/**
 * The settings about tokens enter, the one rule that tokens are checked and issued by leaves. Refuses public keys together
 * with a shared secret, and keys that would come over a line that others can write on. Reads no file and asks no server.
 */
import { join } from 'node:path'
import type { SettingValues } from '../../config/settings.ts'
import { keysAndSecret, unsafeKeysUrl } from '../problems.ts'

export type TokenRules = {
  readonly keys: TokenKeySource
  readonly algorithms: readonly string[]
  /** What `iss` and `aud` have to be; anything goes where there is none. */
  readonly issuer: string | undefined
  readonly audience: string | undefined
  /** Where the roles stand: `roles`, or a path such as `realm_access.roles`. */
  readonly rolesClaim: string
}

/** Public keys or a shared secret, never both: a token must not choose what it is checked with. */
export type TokenKeySource =
  | { readonly kind: 'server'; readonly url: URL }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'secret'; readonly secret: string }
  /** Made by the first `tripfolio token issue`. */
  | { readonly kind: 'local'; readonly path: string }

/** The `iss` of tokens that are issued here. */
export const LOCAL_ISSUER = 'tripfolio'

/** As long as the digest of HS256: RFC 7518 section 3.2. */
export const LOCAL_KEY_BYTES = 32

export type TokenSettings = Pick<
  SettingValues,
  'data' | 'jwtKeys' | 'jwtSecret' | 'jwtAlgorithms' | 'jwtIssuer' | 'jwtAudience' | 'jwtRolesClaim'
>

/** @throws Problem when the settings contradict each other or the URL is not safe */
export function tokenRules(settings: TokenSettings): TokenRules {
  const keys = keySource(settings)
  const shared = keys.kind === 'secret' || keys.kind === 'local'
  return {
    keys,
    algorithms: shared ? ['HS256'] : signatureAlgorithms(settings.jwtAlgorithms),
    issuer: settings.jwtIssuer ?? (keys.kind === 'local' ? LOCAL_ISSUER : undefined),
    audience: settings.jwtAudience,
    rolesClaim: settings.jwtRolesClaim,
  }
}

function keySource({ data, jwtKeys, jwtSecret }: TokenSettings): TokenKeySource {
  if (jwtKeys !== undefined && jwtSecret !== undefined) throw keysAndSecret()
  if (jwtSecret !== undefined) return { kind: 'secret', secret: jwtSecret }
  if (jwtKeys === undefined) return { kind: 'local', path: join(data, 'token.key') }
  if (!/^https?:/i.test(jwtKeys)) return { kind: 'file', path: jwtKeys }
  return { kind: 'server', url: safeUrl(jwtKeys) }
}

function safeUrl(text: string): URL {
  if (!URL.canParse(text)) throw unsafeKeysUrl('text that is no URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw unsafeKeysUrl('one with a user name or password')
  if (url.protocol !== 'https:' && !isThisMachine(url.hostname))
    throw unsafeKeysUrl(`http to ${url.hostname}`)
  return url
}

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** RFC 9864 gives EdDSA on the one curve that we know a name of its own. */
function signatureAlgorithms(names = 'RS256,PS256,ES256,EdDSA'): string[] {
  return names.split(/, */).flatMap((name) => (name === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [name]))
}
