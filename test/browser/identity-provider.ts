/**
 * A real OpenID Connect provider in the process of the test. Its users are named after their roles: `viewer` has the role
 * viewer, `viewer admin` has two, and `-` has none. Any password is right.
 */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importJWK, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'

const AUDIENCE = 'api://tripfolio'
const CLIENT_ID = 'console'

export type IdentityProvider = {
  readonly issuer: string
  /** What makes the service trust it, by the names of the environment variables. */
  readonly settings: Readonly<Record<string, string>>
  /** Must be called before the first sign-in. */
  readonly serve: (console: string) => void
  /** Seconds that access tokens live from now on. */
  readonly tokensLive: (seconds: number) => void
  /** A token of an administrator like those it issues, but for these claims. */
  readonly tokenWith: (claims: JWTPayload) => Promise<string>
  /** A token like those it issues, that has expired. */
  readonly expiredToken: () => Promise<string>
  readonly close: () => Promise<void>
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }
  let handle: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let livesSeconds = 3600
  const tokenWith = async (claims: JWTPayload) =>
    new SignJWT({
      ...{ roles: ['admin'], name: 'Late', iss: issuer, aud: AUDIENCE, sub: 'late' },
      ...{ exp: Math.floor(Date.now() / 1000) + 600, ...claims },
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'test' })
      .sign(await importJWK(key, 'RS256'))
  return {
    issuer,
    settings: {
      TRIPFOLIO_JWT_KEYS: `${issuer}/jwks`,
      TRIPFOLIO_JWT_ISSUER: issuer,
      TRIPFOLIO_JWT_AUDIENCE: AUDIENCE,
      TRIPFOLIO_SIGN_IN_AUTHORITY: issuer,
      TRIPFOLIO_SIGN_IN_CLIENT_ID: CLIENT_ID,
      TRIPFOLIO_SIGN_IN_SCOPES: 'openid offline_access',
    },
    serve: (console) => {
      const provider = new Provider(
        issuer,
        configurationOf(console, key, () => livesSeconds),
      )
      handle = provider.callback()
    },
    tokensLive: (seconds) => (livesSeconds = seconds),
    tokenWith,
    expiredToken: () => tokenWith({ exp: 1_000_000_000 }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const configurationOf = (console: string, key: object, livesSeconds: () => number): object => ({
  clients: [
    {
      client_id: CLIENT_ID,
      token_endpoint_auth_method: 'none',
      redirect_uris: [`${console}/console`],
      post_logout_redirect_uris: [`${console}/console`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: ['test'] },
  ttl: {
    Interaction: 600,
    Session: 3600,
    Grant: 3600,
    AccessToken: livesSeconds,
    RefreshToken: 3600,
    IdToken: 3600,
  },
  pkce: { required: () => true },
  clientBasedCORS: () => true,
  issueRefreshToken: () => true,
  findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  extraTokenClaims: (_context: unknown, { accountId }: { readonly accountId: string }) => ({
    name: `Olga ${accountId}`,
    roles: accountId.split(' ').filter((role) => role !== '-'),
  }),
  features: {
    devInteractions: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: '',
        audience: AUDIENCE,
        accessTokenFormat: 'jwt',
      }),
    },
  },
})
