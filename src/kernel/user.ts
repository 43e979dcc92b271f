/** The caller of a token, from its claims; members without a claim are empty. */
export type User = {
  readonly isAuthenticated: boolean
  readonly name: string
  /** `user:<identity>` or `service:<client>`; see `auth/tokens/claims.ts`. */
  readonly principalId: string
  /** Holders may choose this and `name`: for showing, not for deciding. */
  readonly preferredUsername: string
  /** Empty unless it is verified. */
  readonly email: string
  readonly objectId: string
  readonly tenantId: string
  readonly roles: readonly string[]
  readonly claims: readonly { readonly type: string; readonly value: string }[]
}

export const anonymous: User = {
  isAuthenticated: false,
  name: '',
  principalId: '',
  preferredUsername: '',
  email: '',
  objectId: '',
  tenantId: '',
  roles: [],
  claims: [],
}

/** What operators may be. `support` and `author` each have rights that the other lacks; `viewer` has fewer than both, `admin` all. */
export const operatorRoles = ['viewer', 'support', 'author', 'admin'] as const

export type OperatorRole = (typeof operatorRoles)[number]

/** Roles of a token by name, with the role that each gives. */
export type RoleMapping = ReadonlyMap<string, OperatorRole>
