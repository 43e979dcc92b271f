/** Admits the callers of the admin API: a valid token first, then one of the roles that the operation asks for. */
import type { FastifyRequest } from 'fastify'
import { mayDo, type ReadOperatorRoles, type RequiredRole } from '../auth/operator-roles.ts'
import { reportRefusedToken } from '../auth/tokens/refused-token.ts'
import type { VerifyToken } from '../auth/tokens/verifier.ts'
import type { Problem } from '../kernel/problem.ts'
import type { OperatorRole, User } from '../kernel/user.ts'
import type { Observe } from '../observe/observation.ts'
import { authenticationRequired, roleRequired, tokensUnavailable } from './problems.ts'

/** Returns the problem for a caller without a valid token: `refusal()`, or another one when the caller failed too often. */
export type RefuseAdmin = (
  request: FastifyRequest,
  authorization: string | undefined,
  refusal: () => Problem,
) => Problem

const refuseEach: RefuseAdmin = (_request, _authorization, refusal) => refusal()

export type Guard = {
  readonly verifyToken: VerifyToken
  readonly operatorRoles: ReadOperatorRoles
  readonly refuse?: RefuseAdmin | undefined
  readonly observe: Observe
}

export type Operator = {
  readonly user: User
  readonly roles: readonly OperatorRole[]
}

/** @throws Problem ADM101, ADM102 or ADM103 */
export async function admitOperator(
  request: FastifyRequest,
  required: RequiredRole,
  { verifyToken, operatorRoles, observe, refuse = refuseEach }: Guard,
): Promise<Operator> {
  const { authorization } = request.raw.headers
  const check = await verifyToken(authorization)
  if (check.kind !== 'valid') {
    const refusal =
      check.kind === 'unknown' ? tokensUnavailable() : refuse(request, authorization, authenticationRequired)
    reportRefusedToken(request, check, observe)
    throw refusal
  }
  const { user } = check
  const roles = operatorRoles(user.roles)
  if (!mayDo(roles, required)) throw roleRequired(required)
  return { user, roles }
}
