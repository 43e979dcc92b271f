/** Who the caller is, and what the caller may do. */
import { mayDo } from '../../auth/operator-roles.ts'
import Type from '../../kernel/type.ts'
import { operatorRoles, type User } from '../../kernel/user.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import type { AdminOperation } from '../admin-route.ts'

const Me = Type.Object({
  principalId: Type.String({ description: 'The caller as the audit trail names them' }),
  name: Type.String(),
  email: nullable(Type.String()),
  roles: Type.Array(Type.Enum([...operatorRoles]), {
    description: 'What the roles of the token mean here; empty for a token without rights in this API',
  }),
  tokenRoles: Type.Array(Type.String(), { description: 'The roles as the token names them' }),
  rights: Type.Array(Type.String(), {
    description: 'The `operationId` of every operation that the caller may use, sorted',
  }),
  expiresAt: nullable(moment('When the token expires')),
})

/** @param operations all of this API; read with each request, because some are added later */
export const meRoutes =
  (operations: readonly AdminOperation[]): ResourceRoutes =>
  (add) => {
    add({
      method: 'GET',
      path: '/me',
      operationId: 'getMe',
      role: 'signed-in',
      tag: 'Sign-in',
      summary: 'Get the caller, with roles and rights',
      description:
        'Answers every valid token, so that a console can tell a caller without rights who they are.',
      answer: { description: 'The caller', shape: Me },
      handle: ({ user, roles }) => ({
        principalId: user.principalId,
        name: user.name,
        email: user.email || null,
        roles,
        tokenRoles: user.roles,
        rights: operations
          .filter(({ role }) => mayDo(roles, role))
          .map(({ operationId }) => operationId)
          .sort(),
        expiresAt: expiryOf(user),
      }),
    })
  }

function expiryOf({ claims }: User): string | null {
  const seconds = Number(claims.find(({ type }) => type === 'exp')?.value)
  return Number.isFinite(seconds) ? new Date(1000 * seconds).toISOString() : null
}
