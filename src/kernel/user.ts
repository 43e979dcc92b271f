/** The caller of a token, from its claims; members without a claim are empty. */
export type User = {
  readonly isAuthenticated: boolean
  readonly name: string
  /** `user:<email>` or `service:<name>`. */
  readonly principalId: string
  readonly preferredUsername: string
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
