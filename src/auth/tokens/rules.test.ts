import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { tokenRules } from './rules.ts'

const SECRET = 'a secret of thirty-two bytes, more or less'

const rulesOf = (flags: Readonly<Record<string, unknown>>) =>
  tokenRules(loadConfig({ env: {}, flags: { data: '/none', ...flags } }))

describe('tokenRules', () => {
  const sources: readonly (readonly [jwtKeys: string, source: object])[] = [
    [
      'https://id.example/keys?tenant=1',
      { kind: 'server', url: new URL('https://id.example/keys?tenant=1') },
    ],
    ['HTTPS://id.example/keys', { kind: 'server', url: new URL('https://id.example/keys') }],
    ['http://localhost:9000/keys', { kind: 'server', url: new URL('http://localhost:9000/keys') }],
    ['http://127.0.0.2/keys', { kind: 'server', url: new URL('http://127.0.0.2/keys') }],
    ['http://[::1]/keys', { kind: 'server', url: new URL('http://[::1]/keys') }],
    ['./keys.json', { kind: 'file', path: './keys.json' }],
    ['/etc/https/keys.json', { kind: 'file', path: '/etc/https/keys.json' }],
  ]
  for (const [jwtKeys, source] of sources) {
    it(`takes keys from ${jwtKeys}`, () => {
      assert.deepEqual(rulesOf({ jwtKeys }).keys, source)
    })
  }

  it('accepts the default algorithms with public keys, or those in the settings', () => {
    const usual = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
    assert.deepEqual(rulesOf({ jwtKeys: './keys.json' }).algorithms, usual)
    const named = rulesOf({ jwtKeys: './keys.json', jwtAlgorithms: 'ES384, RS256' })
    assert.deepEqual(named.algorithms, ['ES384', 'RS256'])
  })

  it('names the issuer in identities only when public keys may be those of several', () => {
    const jwtIssuer = 'https://id.example'
    assert.equal(rulesOf({ jwtKeys: './keys.json' }).namesIssuer, true)
    assert.equal(rulesOf({ jwtKeys: './keys.json', jwtIssuer }).namesIssuer, false)
    assert.equal(rulesOf({ jwtSecret: SECRET }).namesIssuer, false)
    assert.equal(rulesOf({}).namesIssuer, false)
  })

  it('reads the claim of the identity, and the issuers that verify it', () => {
    const rules = rulesOf({
      jwtIdentityClaim: 'oid',
      jwtVerifyingIssuers: 'https://a.example, https://b.example',
    })
    assert.equal(rules.identityClaim, 'oid')
    assert.deepEqual(rules.verifyingIssuers, ['https://a.example', 'https://b.example'])
  })

  it('accepts only HS256 with a secret', () => {
    const rules = rulesOf({ jwtSecret: SECRET, jwtAudience: 'us' })
    assert.deepEqual(rules, {
      keys: { kind: 'secret', secret: SECRET },
      algorithms: ['HS256'],
      issuer: undefined,
      audience: 'us',
      rolesClaim: 'roles',
      identityClaim: 'sub',
      verifyingIssuers: [],
      namesIssuer: false,
    })
  })

  it('uses a key of the data folder by default, with the local issuer unless jwtIssuer is set', () => {
    const rules = rulesOf({})
    assert.deepEqual(rules.keys, { kind: 'local', path: '/none/token.key' })
    assert.deepEqual(rules.algorithms, ['HS256'])
    assert.equal(rules.issuer, 'tripfolio')
    assert.equal(rulesOf({ jwtIssuer: 'https://id.example' }).issuer, 'https://id.example')
  })
})
