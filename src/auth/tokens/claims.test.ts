import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { userOf } from './claims.ts'

type Claims = Readonly<Record<string, unknown>>

describe('userOf', () => {
  it('reads every member from its claim', () => {
    const claims = {
      sub: 's-1',
      name: 'Ann Lee',
      preferred_username: 'ann',
      email: 'ann@example.org',
      oid: 'o-1',
      tid: 't-1',
      roles: ['admin', 'ops'],
      exp: 1_900_000_000,
    }
    assert.deepEqual(userOf(claims, 'roles'), {
      isAuthenticated: true,
      name: 'Ann Lee',
      principalId: 'user:ann@example.org',
      preferredUsername: 'ann',
      email: 'ann@example.org',
      objectId: 'o-1',
      tenantId: 't-1',
      roles: ['admin', 'ops'],
      claims: [
        { type: 'sub', value: 's-1' },
        { type: 'name', value: 'Ann Lee' },
        { type: 'preferred_username', value: 'ann' },
        { type: 'email', value: 'ann@example.org' },
        { type: 'oid', value: 'o-1' },
        { type: 'tid', value: 't-1' },
        { type: 'roles', value: 'admin' },
        { type: 'roles', value: 'ops' },
        { type: 'exp', value: '1900000000' },
      ],
    })
  })

  it('leaves members without a claim empty', () => {
    const user = userOf({ sub: 's-1' }, 'roles')
    assert.deepEqual(
      { ...user, claims: [] },
      {
        isAuthenticated: true,
        name: 's-1',
        principalId: 'user:s-1',
        preferredUsername: '',
        email: '',
        objectId: '',
        tenantId: '',
        roles: [],
        claims: [],
      },
    )
  })

  const principals: readonly (readonly [what: string, claims: Claims, principalId: string | undefined])[] = [
    ['an email address', { sub: 's', email: 'a@b.c' }, 'user:a@b.c'],
    ['a user name that is an address', { sub: 's', preferred_username: 'a@b.c' }, 'user:a@b.c'],
    ['a user name that is not an address', { sub: 's', preferred_username: 'ann' }, 'user:s'],
    ['a principal name that is an address', { sub: 's', upn: 'a@b.c' }, 'user:a@b.c'],
    ['an unverified address', { sub: 's', email: 'a@b.c', email_verified: false }, 'user:s'],
    [
      'an unconfirmed address that is the user name too',
      { sub: 's', email: 'a@b.c', preferred_username: 'a@b.c', email_verified: false },
      'user:s',
    ],
    ['a verified address', { sub: 's', email: 'a@b.c', email_verified: true }, 'user:a@b.c'],
    ['an email claim that is not an address', { sub: 's', email: 'a b@c' }, 'user:s'],
    ['an email claim that is not a text', { sub: 's', email: ['a@b.c'] }, 'user:s'],
    ['a client that is the subject', { sub: 'c', azp: 'c' }, 'service:c'],
    ['a client without a subject', { client_id: 'c' }, 'service:c'],
    ['a client of Entra ID', { sub: 'o', oid: 'o', appid: 'c', idtyp: 'app' }, 'service:c'],
    ['a user of a client', { sub: 's', azp: 'c' }, 'user:s'],
    ['a user whose object is the subject', { sub: 'o', oid: 'o', azp: 'c' }, 'user:o'],
    ['a user of a client with an address', { email: 'a@b.c', azp: 'c' }, 'user:a@b.c'],
    ['no identity', { roles: ['admin'] }, undefined],
    ['only a name and an object id', { name: 'Ann', oid: 'o' }, undefined],
    ['an empty subject', { sub: '' }, undefined],
    ['a subject that is not a text', { sub: 7 }, undefined],
  ]
  for (const [what, claims, principalId] of principals) {
    it(`returns ${principalId ?? 'no user'} for a token with ${what}`, () => {
      assert.equal(userOf(claims, 'roles')?.principalId, principalId)
    })
  }

  const names: readonly (readonly [claims: Claims, name: string])[] = [
    [{ sub: 's', preferred_username: 'ann', name: 'Ann' }, 'Ann'],
    [{ sub: 's', preferred_username: 'ann' }, 'ann'],
    [{ sub: 's' }, 's'],
    [{ azp: 'c' }, 'c'],
  ]
  for (const [claims, name] of names) {
    it(`gives the holder of ${JSON.stringify(claims)} the name ${name}`, () => {
      assert.equal(userOf(claims, 'roles')?.name, name)
    })
  }

  const roles: readonly (readonly [path: string, claims: Claims, roles: readonly string[]])[] = [
    ['roles', { roles: ['a', 'b c'] }, ['a', 'b c']],
    ['roles', { roles: 'a  b ' }, ['a', 'b']],
    ['roles', { roles: ['a', 7, null, '', ['b'], { c: 1 }] }, ['a']],
    ['roles', { roles: { a: true } }, []],
    ['roles', { roles: true }, []],
    ['roles', {}, []],
    ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['realm_access.roles', { 'realm_access.roles': ['a'], realm_access: { roles: ['b'] } }, ['a']],
    ['realm_access.roles', { realm_access: 'roles' }, []],
    ['realm_access.roles', { realm_access: null }, []],
    ['resource_access.my.client.roles', { resource_access: { 'my.client': { roles: ['a'] } } }, ['a']],
    ['https://example.org/roles', { 'https://example.org/roles': ['a'] }, ['a']],
    ['groups', { roles: ['a'], groups: ['b'] }, ['b']],
    ['__proto__.roles', {}, []],
    ['constructor.name', {}, []],
  ]
  for (const [path, claims, expected] of roles) {
    it(`finds the roles ${JSON.stringify(expected)} at ${path} of ${JSON.stringify(claims)}`, () => {
      assert.deepEqual(userOf({ sub: 's', ...claims }, path)?.roles, expected)
    })
  }

  it('returns every claim as text', () => {
    const claims = { sub: 's', flag: true, none: null, deep: { a: [1] }, list: [1, { b: 2 }], empty: [] }
    assert.deepEqual(userOf(claims, 'roles')?.claims, [
      { type: 'sub', value: 's' },
      { type: 'flag', value: 'true' },
      { type: 'none', value: '' },
      { type: 'deep', value: '{"a":[1]}' },
      { type: 'list', value: '1' },
      { type: 'list', value: '{"b":2}' },
    ])
  })

  it('returns a user whose members are texts, or none, for any claims', () => {
    const anyClaims = fc.dictionary(
      fc.oneof(fc.constantFrom('sub', 'email', 'roles', 'azp', '__proto__', 'upn'), fc.string()),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(anyClaims, fc.string(), (claims, path) => {
        const user = userOf(JSON.parse(JSON.stringify(claims)), path)
        if (user === null) return
        assert.match(user.principalId, /^(user|service):./s)
        assert.ok(user.roles.every((role) => typeof role === 'string' && role !== ''))
        assert.ok(
          user.claims.every(({ type, value }) => typeof type === 'string' && typeof value === 'string'),
        )
      }),
    )
  })
})
