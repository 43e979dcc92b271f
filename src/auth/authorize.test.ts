import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anonymous } from '../kernel/user.ts'
import { type AccessDecision, authorize, hasRole } from './authorize.ts'
import type { TokenCheck } from './tokens/verifier.ts'

const holding = (...roles: string[]): TokenCheck => ({
  kind: 'valid',
  user: { ...anonymous, isAuthenticated: true, roles },
})

const checks = {
  'no token': { kind: 'none' },
  'an invalid token': { kind: 'invalid', reason: 'expired' },
  'a token that cannot be checked now': { kind: 'unknown', reason: 'keys' },
  'a token without roles': holding(),
  'a token with another role': holding('guest', 'ADMIN', 'administrator'),
  'a token with one of the roles': holding('guest', 'admin'),
  'a token with all roles': holding('ops', 'admin'),
} as const satisfies Readonly<Record<string, TokenCheck>>

type Expected = { readonly [Check in keyof typeof checks]: AccessDecision }

const publicEndpoint: Expected = {
  'no token': 'yes',
  'an invalid token': 'yes',
  'a token that cannot be checked now': 'yes',
  'a token without roles': 'yes',
  'a token with another role': 'yes',
  'a token with one of the roles': 'yes',
  'a token with all roles': 'yes',
}

const anyUser: Expected = {
  ...publicEndpoint,
  'no token': 'unauthenticated',
  'an invalid token': 'unauthenticated',
  'a token that cannot be checked now': 'unavailable',
}

const someRoles: Expected = {
  ...anyUser,
  'a token without roles': 'forbidden',
  'a token with another role': 'forbidden',
}

const roles = ['admin', 'ops']

const rules: readonly {
  readonly endpoint: string
  readonly requiresAuthentication: boolean
  readonly allowedRoles: readonly string[]
  readonly expected: Expected
}[] = [
  { endpoint: 'a public', requiresAuthentication: false, allowedRoles: [], expected: publicEndpoint },
  { endpoint: 'an authenticated', requiresAuthentication: true, allowedRoles: [], expected: anyUser },
  { endpoint: 'a restricted', requiresAuthentication: true, allowedRoles: roles, expected: someRoles },
  { endpoint: 'a roles-only', requiresAuthentication: false, allowedRoles: roles, expected: someRoles },
]

describe('authorize', () => {
  for (const { endpoint, expected, ...rule } of rules) {
    for (const [name, check] of Object.entries(checks)) {
      const decision = expected[name as keyof typeof checks]
      it(`decides '${decision}' for ${endpoint} endpoint and ${name}`, () => {
        assert.equal(authorize(rule, check), decision)
      })
    }
  }
})

describe('hasRole', () => {
  it('compares whole names with their letter case', () => {
    const user = { ...anonymous, roles: ['admin'] }
    assert.ok(hasRole(user, 'admin'))
    for (const role of ['Admin', 'adm', 'admin ', '']) assert.ok(!hasRole(user, role), role)
  })
})
