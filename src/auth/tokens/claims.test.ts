import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type IdentityRules, userOf as userWith } from './claims.ts'

type Claims = Readonly<Record<string, unknown>>

const usual: IdentityRules = {
  rolesClaim: 'roles',
  identityClaim: 'sub',
  verifyingIssuers: [],
  namesIssuer: false,
}
const userOf = (claims: Claims, rolesClaim: string) => userWith(claims, { ...usual, rolesClaim })

describe('userOf', () => {
  it('reads every member from its claim', () => {
    const claims = {
      sub: 's-1',
      name: 'Ann Lee',
      preferred_username: 'ann',
      email: 'ann@example.org',
      email_verified: true,
      oid: 'o-1',
      tid: 't-1',
      roles: ['admin', 'ops'],
      exp: 1_900_000_000,
    }
    assert.deepEqual(userOf(claims, 'roles'), {
      isAuthenticated: true,
      name: 'Ann Lee',
      principalId: 'user:s-1',
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
        { type: 'email_verified', value: 'true' },
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
    ['an address that is verified', { sub: 's', email: 'a@b.c', email_verified: true }, 'user:s'],
    [
      'names that callers choose',
      { sub: 's', preferred_username: 'a@b.c', upn: 'a@b.c', name: 'a@b.c' },
      'user:s',
    ],
    ['a subject that is an address', { sub: 'a@b.c' }, 'user:a@b.c'],
    ['a subject that begins like a service', { sub: 'service:c' }, 'user:service:c'],
    ['a client that is the subject', { sub: 'c', azp: 'c' }, 'service:c'],
    ['a client without a subject', { client_id: 'c' }, 'service:c'],
    ['a client of Entra ID', { sub: 'o', oid: 'o', appid: 'c', idtyp: 'app' }, 'service:c'],
    ['a user of a client', { sub: 's', azp: 'c' }, 'user:s'],
    ['a user whose object is the subject', { sub: 'o', oid: 'o', azp: 'c' }, 'user:o'],
    [
      'a client without a subject, but with an address',
      { email: 'a@b.c', email_verified: true, azp: 'c' },
      'service:c',
    ],
    ['no identity', { roles: ['admin'] }, undefined],
    ['only a name and an object id', { name: 'Ann', oid: 'o' }, undefined],
    ['only an address', { email: 'a@b.c', email_verified: true }, undefined],
    ['an empty subject', { sub: '' }, undefined],
    ['a subject that is not a text', { sub: 7 }, undefined],
  ]
  for (const [what, claims, principalId] of principals) {
    it(`returns ${principalId ?? 'no user'} for a token with ${what}`, () => {
      assert.equal(userOf(claims, 'roles')?.principalId, principalId)
    })
  }

  const ISSUER = 'https://id.example'
  const shapes: readonly (readonly [shape: string, claim: Claims])[] = [
    ['missing', {}],
    ...[true, false, 'true', 'false', 'True', 1, 0, null, [], [true], {}].map(
      (email_verified) => [JSON.stringify(email_verified), { email_verified }] as const,
    ),
  ]
  for (const [shape, claim] of shapes) {
    const claims = { iss: ISSUER, sub: 's', email: 'boss@corp.example', ...claim }
    const whoWith = (changes: Partial<IdentityRules>) => {
      const user = userWith(claims, { ...usual, ...changes })
      return user === null ? null : [user.principalId, user.email]
    }
    const isVerified = shape === 'true'
    const address = isVerified ? 'boss@corp.example' : ''

    it(`identifies by the subject when email_verified is ${shape}`, () => {
      assert.deepEqual(whoWith({}), ['user:s', address])
    })

    it(`${isVerified ? 'identifies' : 'does not identify'} by an address when email_verified is ${shape}`, () => {
      const expected = isVerified ? ['user:boss@corp.example', 'boss@corp.example'] : null
      assert.deepEqual(whoWith({ identityClaim: 'email' }), expected)
      assert.deepEqual(
        whoWith({ identityClaim: 'email', verifyingIssuers: ['https://id.example/'] }),
        expected,
      )
    })

    it(`lets the claim decide at a verifying issuer when email_verified is ${shape}`, () => {
      const counts = isVerified || shape === 'missing'
      const rules = { identityClaim: 'email', verifyingIssuers: ['https://other.example', ISSUER] }
      assert.equal(whoWith(rules)?.[0], counts ? 'user:boss@corp.example' : undefined)
      assert.equal(whoWith({ verifyingIssuers: [ISSUER] })?.[1], counts ? 'boss@corp.example' : '')
    })
  }

  const chosen = [
    'upn',
    'preferred_username',
    'name',
    'nickname',
    'email ',
    'oid',
    'ext.login',
    'unique_name',
  ]
  for (const identityClaim of chosen) {
    it(`takes the claim ${identityClaim} as identity from a verifying issuer only`, () => {
      const claims = { iss: ISSUER, sub: 's', email_verified: true, [identityClaim]: 'boss@corp.example' }
      assert.equal(userWith(claims, { ...usual, identityClaim }), null)
      const user = userWith(claims, { ...usual, identityClaim, verifyingIssuers: [ISSUER] })
      assert.equal(user?.principalId, 'user:boss@corp.example')
      const other = { ...claims, iss: 'https://evil.example' }
      assert.equal(userWith(other, { ...usual, identityClaim, verifyingIssuers: [ISSUER] }), null)
    })
  }

  for (const value of [7, true, null, ['boss@corp.example'], { a: 'boss@corp.example' }, '']) {
    it(`takes no identity from ${JSON.stringify(value)}`, () => {
      const claims = { iss: ISSUER, sub: value, email: value, oid: value, email_verified: true }
      for (const identityClaim of ['sub', 'email', 'oid']) {
        assert.equal(userWith(claims, { ...usual, identityClaim, verifyingIssuers: [ISSUER] }), null)
      }
    })
  }

  const oddAddresses = {
    'a Kelvin sign': 'mi\u212Ae@corp.example',
    'a fullwidth letter': '\uFF4Dike@corp.example',
    'a ligature': 'o\uFB03ce@corp.example',
    'a zero width space': 'mike\u200B@corp.example',
    'a direction mark': 'mike@corp.example\u202E',
    'a line break': 'mike@corp.example\n',
    'a control character': 'mike\u0000@corp.example',
    'two signs': 'mike@corp.example@evil.example',
    'no sign': 'mike',
  }
  for (const [what, email] of Object.entries(oddAddresses)) {
    it(`takes no address with ${what}`, () => {
      const claims = { iss: ISSUER, sub: 's', email, email_verified: true }
      assert.equal(userWith(claims, usual)?.email, '')
      assert.equal(userWith(claims, { ...usual, identityClaim: 'email', verifyingIssuers: [ISSUER] }), null)
    })
  }

  it('keeps apart what several issuers call by one name, and knows an address that verifying issuers share', () => {
    const from = (iss: string | undefined, changes: Partial<IdentityRules>, claims: Claims = { sub: 's' }) =>
      userWith(
        { ...(iss === undefined ? {} : { iss }), ...claims },
        { ...usual, namesIssuer: true, ...changes },
      )?.principalId
    const address = { sub: 's', email: 'a@b.c', email_verified: true }
    const [one, two] = [ISSUER, 'https://evil.example']
    assert.equal(from(one, {}), 'user:https://id.example#s')
    assert.equal(from(two, {}), 'user:https://evil.example#s')
    assert.equal(from(undefined, {}), 'user:#s')
    assert.equal(from(one, {}, { azp: 'c' }), 'service:https://id.example#c')
    assert.notEqual(from('a#b', {}, { sub: 'c' }), from('a', {}, { sub: 'b#c' }))
    assert.equal(from(two, { identityClaim: 'email' }, address), 'user:https://evil.example#a@b.c')
    const both = { identityClaim: 'email', verifyingIssuers: [one] }
    assert.equal(from(one, both, address), 'user:a@b.c')
    assert.equal(from(two, both, address), 'user:https://evil.example#a@b.c')
    assert.equal(
      from(one, { identityClaim: 'oid', verifyingIssuers: [one] }, { oid: 'o' }),
      'user:https://id.example#o',
    )
  })

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
