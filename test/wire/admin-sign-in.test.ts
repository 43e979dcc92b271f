/** Who the caller is, and how operators sign in. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { operatorRolesOf } from '../../src/auth/operator-roles.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { readRoleMapping } from '../../src/config/operator-settings.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { type Admin, startAdmin } from './start-admin.ts'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

describe('GET /me', () => {
  it('names the caller, the roles, the rights and the end of the token', async () => {
    const began = Date.now()
    const { status, body } = await admin.send('GET', '/me', { token: 'viewer:60000' })
    assert.equal(status, 200)
    const { rights, expiresAt, ...who } = body
    assert.deepEqual(who, {
      principalId: 'user:viewer@example.com',
      name: 'viewer',
      email: null,
      roles: ['viewer'],
      tokenRoles: ['viewer'],
    })
    assert.ok(rights.includes('listEndpoints') && !rights.includes('createEndpoint'))
    const remainingMs = Date.parse(expiresAt) - began
    assert.ok(remainingMs > 50_000 && remainingMs < 120_000, expiresAt)
  })

  it('answers a token without a role: it has only the rights of everybody', async () => {
    const { status, body } = await admin.send('GET', '/me', { token: 'user' })
    assert.equal(status, 200)
    assert.deepEqual([body.roles, body.tokenRoles], [[], ['reader']])
    assert.deepEqual(body.rights, ['getMe', 'getSignIn'])
  })

  it('refuses a caller without a valid token', async () => {
    for (const token of [null, 'nobody']) {
      assert.equal((await admin.send('GET', '/me', { token })).status, 401)
    }
  })
})

describe('adminRoles', () => {
  const rolesOf = (mapping: string | null, ...tokenRoles: string[]) =>
    operatorRolesOf(mapping === null ? null : readRoleMapping(mapping))(tokenRoles)

  const cases: readonly (readonly [string | null, readonly string[], readonly string[]])[] = [
    [null, ['admin', 'viewer', 'clerk'], ['viewer', 'admin']],
    [null, ['Admin'], []],
    ['TF.Help=support,TF.Boss=admin', ['TF.Help', 'clerk'], ['support']],
    ['TF.Help=support,TF.Boss=admin', ['TF.Boss', 'TF.Help'], ['support', 'admin']],
    // A role of the identity provider that happens to have the same name.
    ['TF.Help=support', ['support', 'author', 'viewer'], []],
    ['TF.Help=support', ['admin'], ['admin']],
    ['support=viewer', ['support'], ['viewer']],
  ]
  for (const [mapping, tokenRoles, expected] of cases) {
    it(`${mapping ?? 'left out'} makes ${tokenRoles.join(', ')} ${expected.join(', ') || 'nobody'}`, () => {
      assert.deepEqual(rolesOf(mapping, ...tokenRoles), expected)
    })
  }

  it('decides about requests', async () => {
    const mapped = await startAdmin({ operatorRoles: operatorRolesOf(readRoleMapping('reader=viewer')) })
    try {
      assert.equal((await mapped.send('GET', '/accounts', { token: 'user' })).status, 200)
      assert.equal((await mapped.send('GET', '/accounts', { token: 'support' })).status, 403)
    } finally {
      await mapped.close()
    }
  })
})

describe('GET /sign-in', () => {
  it('needs no token, and may be cached for a minute', async () => {
    const { status, headers, body } = await admin.send('GET', '/sign-in', { token: null })
    assert.deepEqual(
      [status, headers.get('cache-control'), body],
      [
        200,
        'public, max-age=60',
        {
          authority: null,
          clientId: null,
          scopes: ['openid', 'profile', 'email'],
          origins: [],
          acceptsTokens: true,
        },
      ],
    )
  })

  it('names the identity provider, and then refuses an address that asks too often', async () => {
    const named = await startAdmin({
      config: loadConfig({
        env: {},
        flags: {
          jwtKeys: 'https://login.example.com/keys',
          signInAuthority: 'https://login.example.com/tenant',
          signInClientId: 'console',
          signInOrigins: 'https://token.example.com, https://login.example.com',
          signInScopes: 'openid api://tripfolio/.default',
          signInTokens: 'refuse',
        },
      }),
    })
    try {
      const first = await named.send('GET', '/sign-in', { token: null })
      assert.deepEqual(first.body, {
        authority: 'https://login.example.com/tenant',
        clientId: 'console',
        scopes: ['openid', 'api://tripfolio/.default'],
        origins: ['https://login.example.com', 'https://token.example.com'],
        acceptsTokens: false,
      })
      let last = first
      // The bucket regains tokens meanwhile, so there is no exact number.
      for (let i = 0; i < 500 && last.status === 200; i++) {
        last = await named.send('GET', '/sign-in', { token: null })
      }
      assert.equal(last.status, 429)
      assert.ok(Number(last.headers.get('retry-after')) >= 1)
      await assertProblem(named.observations, last, 'ADM107')
    } finally {
      await named.close()
    }
  })
})
