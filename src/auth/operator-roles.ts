/**
 * The rights of operators: what the names of roles in a token mean here, and which roles are enough for what an operation of
 * the admin API asks for.
 */
import { type OperatorRole, operatorRoles, type RoleMapping } from '../kernel/user.ts'

/** The roles that are enough for what a route asks for. `anyone` needs no token, `signed-in` a valid one, whatever its roles. */
export const rolesThatMay = {
  anyone: operatorRoles,
  'signed-in': operatorRoles,
  viewer: operatorRoles,
  'support or author': ['support', 'author', 'admin'],
  support: ['support', 'admin'],
  author: ['author', 'admin'],
  admin: ['admin'],
} as const satisfies Readonly<Record<string, readonly OperatorRole[]>>

export type RequiredRole = keyof typeof rolesThatMay

/** Turns the roles of a token into roles of operators, in the order of {@link operatorRoles}. */
export type ReadOperatorRoles = (tokenRoles: readonly string[]) => readonly OperatorRole[]

/**
 * Without a mapping the names of a token are those of the operators' roles. With one only it gives roles, so that a role of the
 * same name that the identity provider uses for something else gives no rights; `admin` is always `admin`.
 */
export function operatorRolesOf(mapping: RoleMapping | null): ReadOperatorRoles {
  return (tokenRoles) => {
    const given = new Set(
      tokenRoles.map((name) => mapping?.get(name) ?? (known(name, mapping) ? name : null)),
    )
    return operatorRoles.filter((role) => given.has(role))
  }
}

const known = (name: string, mapping: RoleMapping | null): boolean => mapping === null || name === 'admin'

export function mayDo(roles: readonly OperatorRole[], required: RequiredRole): boolean {
  const enough: readonly OperatorRole[] = rolesThatMay[required]
  return required === 'anyone' || required === 'signed-in' || roles.some((role) => enough.includes(role))
}
