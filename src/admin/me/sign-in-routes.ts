/** How a console signs operators in. Everybody may ask, so the answer has nothing that an identity provider keeps secret. */
import { addressGroup } from '../../auth/client-address.ts'
import { createAddressLimit } from '../../auth/limits/address-limit.ts'
import { signInOrigins } from '../../config/operator-settings.ts'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { tooManyRequests } from '../problems.ts'

const SignIn = Type.Object({
  authority: nullable(
    Type.String({
      description:
        'Issuer URL of the identity provider (OpenID Connect); null when operators can only paste a token',
    }),
  ),
  clientId: nullable(Type.String({ description: 'The id by which it knows the console' })),
  scopes: Type.Array(Type.String(), { description: 'What to ask it for' }),
  origins: Type.Array(Type.String(), {
    description:
      'Where a console calls the identity provider: the origin of `authority`, then those of the setting `signInOrigins`. A Content-Security-Policy allows these in `connect-src`',
    examples: [['https://login.example.com']],
  }),
  acceptsTokens: Type.Boolean({ description: 'Whether the console offers a field to paste a token into' }),
})

/** A console asks once per sign-in. */
const limit = { rate: 1, burst: 60 }
const FRESH_SECONDS = 60

export const signInRoutes: ResourceRoutes = (add, { config }) => {
  const secondsToWait = createAddressLimit(limit)
  const answer = {
    authority: config.signInAuthority ?? null,
    clientId: config.signInClientId ?? null,
    scopes: config.signInScopes.split(' '),
    origins: signInOrigins(config),
    acceptsTokens: config.signInTokens === 'allow',
  }
  add({
    method: 'GET',
    path: '/sign-in',
    operationId: 'getSignIn',
    role: 'anyone',
    tag: 'Sign-in',
    summary: 'Get how operators sign in',
    description: `Needs no token. An answer may be used for ${FRESH_SECONDS} s.`,
    answer: { description: 'How to sign in', shape: SignIn },
    handle: ({ request, reply }) => {
      const seconds = secondsToWait(addressGroup(request.ip) ?? 'unknown')
      if (seconds > 0) {
        reply.header('retry-after', String(seconds))
        throw tooManyRequests(seconds)
      }
      reply.header('cache-control', `public, max-age=${FRESH_SECONDS}`)
      return answer
    },
  })
}
