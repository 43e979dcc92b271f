import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadConfig } from './load-config.ts'
import { readRoleMapping } from './operator-settings.ts'
import { SettingsProblem } from './problems.ts'

const SECRET = 'a secret of thirty-two bytes, more or less'
const KEYS = './keys.json'
const AUTHORITY = 'https://login.example.com/tenant'

const load = (flags: Readonly<Record<string, unknown>>) =>
  loadConfig({ env: {}, flags: { data: '/none', ...flags } })

function refusal(flags: Readonly<Record<string, unknown>>): string {
  try {
    load(flags)
  } catch (error) {
    assert.ok(error instanceof SettingsProblem)
    assert.equal(error.code, 'CFG101')
    return error.message
  }
  return assert.fail('The settings were accepted')
}

describe('settings of tokens', () => {
  const unsafe = [
    'http://id.example/keys',
    'http://localhost.example/keys',
    'http://127.0.0.1.example/keys',
    'https://user:hidden@id.example/keys',
    'https://',
  ]
  for (const jwtKeys of unsafe) {
    it(`refuse keys from ${jwtKeys}`, () => {
      const message = refusal({ jwtKeys })
      assert.match(message, /--jwt-keys: expected an https URL without user name/)
      assert.doesNotMatch(message, /user:hidden/)
    })
  }

  const wrong: readonly (readonly [flags: Record<string, string>, message: RegExp])[] = [
    [
      { jwtKeys: KEYS, jwtSecret: SECRET },
      /--jwt-secret: expected only one of --jwt-keys and --jwt-secret: keep .*, found both$/,
    ],
    [
      { jwtAlgorithms: 'RS256' },
      /--jwt-algorithms: expected it only together with TRIPFOLIO_JWT_KEYS.*, found it without TRIPFOLIO_JWT_KEYS$/,
    ],
    [
      { jwtAlgorithms: 'RS256', jwtSecret: SECRET },
      /--jwt-algorithms: expected it only together with TRIPFOLIO_JWT_KEYS.*always HS256/,
    ],
    [
      { signInAuthority: AUTHORITY, signInClientId: 'console' },
      /--sign-in-authority: .*without TRIPFOLIO_JWT_KEYS$/,
    ],
    [
      { signInAuthority: AUTHORITY, jwtKeys: KEYS },
      /--sign-in-authority: .*without TRIPFOLIO_SIGN_IN_CLIENT_ID$/,
    ],
    [{ signInClientId: 'console' }, /--sign-in-client-id: .*without TRIPFOLIO_SIGN_IN_AUTHORITY$/],
    [{ signInTokens: 'refuse' }, /--sign-in-tokens: expected allow without TRIPFOLIO_SIGN_IN_AUTHORITY/],
    [{ signInAuthority: 'login.example.com' }, /--sign-in-authority: expected an https URL/],
    [
      { signInAuthority: 'https://login.example.com/?tenant=1' },
      /--sign-in-authority: expected an https URL/,
    ],
    [
      { signInOrigins: 'https://token.example.com' },
      /--sign-in-origins: .*without TRIPFOLIO_SIGN_IN_AUTHORITY$/,
    ],
    ...[
      '*',
      'https://*.example.com',
      'http://token.example.com',
      'https://token.example.com/',
      'https://a:b@token.example.com',
      'https://token.example.com,',
      "https://token.example.com; script-src 'unsafe-inline'",
      'https://a.example.com https://b.example.com',
    ].map((signInOrigins) => [{ signInOrigins }, /--sign-in-origins: expected https origins/] as const),
    ...['upn', 'preferred_username', 'name', 'oid', 'Email', 'email_address'].map(
      (jwtIdentityClaim) =>
        [
          { jwtIdentityClaim },
          /--jwt-identity-claim: expected sub or email, or also TRIPFOLIO_JWT_VERIFYING_ISSUERS.* found another claim without/,
        ] as const,
    ),
    ...['', 'https://a.example,', 'https://a.example https://b.example', ' '].map(
      (jwtVerifyingIssuers) =>
        [{ jwtVerifyingIssuers }, /--jwt-verifying-issuers: expected values of the `iss` claim/] as const,
    ),
    [{ adminRoles: 'Support' }, /--admin-roles: expected pairs of a role .*, found 'Support'$/],
  ]
  for (const [flags, message] of wrong) {
    it(`refuse ${JSON.stringify(flags)}, and say what to do`, () => {
      const found = refusal(flags)
      assert.match(found, message)
      assert.ok(!found.includes(SECRET))
    })
  }

  it('accept a claim of the identity that needs no issuer, or has one', () => {
    assert.equal(load({}).jwtIdentityClaim, 'sub')
    assert.equal(load({ jwtIdentityClaim: 'email' }).jwtIdentityClaim, 'email')
    const both = { jwtIdentityClaim: 'oid', jwtVerifyingIssuers: 'https://a.example' }
    assert.equal(load(both).jwtIdentityClaim, 'oid')
  })

  it('accept an identity provider with its keys', () => {
    const config = load({ jwtKeys: KEYS, signInAuthority: AUTHORITY, signInClientId: 'console' })
    assert.deepEqual([config.signInScopes, config.signInTokens], ['openid profile email', 'allow'])
  })
})

describe('readRoleMapping', () => {
  const mappings: readonly (readonly [
    text: string,
    mapping: readonly (readonly [string, string])[] | null,
  ])[] = [
    [
      'TF.Support=support, Admins of TF = admin',
      [
        ['TF.Support', 'support'],
        ['Admins of TF', 'admin'],
      ],
    ],
    ['cn=tf-authors=author', [['cn=tf-authors', 'author']]],
    ['support=viewer', [['support', 'viewer']]],
    ['=admin', null],
    ['admin', null],
    ['TF=owner', null],
    ['TF=admin,', null],
    ['TF=admin,TF=viewer', null],
  ]
  for (const [text, mapping] of mappings) {
    it(`reads '${text}'`, () => {
      const read = readRoleMapping(text)
      assert.deepEqual(read === null ? null : [...read], mapping)
    })
  }
})
