import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import { issueToken, type TokenHolder } from './issuer.ts'
import { tokenRules } from './rules.ts'
import { readTimeToLive } from './time-to-live.ts'
import { createTokenVerifier } from './verifier.ts'

const SECRET = 'a secret of thirty-two bytes, more or less'
const NOW = 1_800_000_000
const ann: TokenHolder = { name: 'Ann', email: 'ann@example.org', roles: ['admin', 'two words'] }

let data: string
before(() => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-issue-'))
})
after(() => rmSync(data, { recursive: true }))

const rulesOf = (flags: Readonly<Record<string, unknown>> = {}) =>
  tokenRules(loadConfig({ env: {}, flags: { data, ...flags } }))

describe('issueToken', () => {
  const settings: readonly (readonly [what: string, flags: Readonly<Record<string, unknown>>])[] = [
    ['the local key', {}],
    ['the local key with its own issuer and audience', { jwtIssuer: 'us', jwtAudience: 'here' }],
    ['the shared secret', { jwtSecret: SECRET }],
    [
      'the shared secret with its own issuer and audience',
      { jwtSecret: SECRET, jwtIssuer: 'us', jwtAudience: 'here' },
    ],
    ['roles at a path', { jwtRolesClaim: 'realm_access.roles' }],
    ['the address as identity', { jwtIdentityClaim: 'email' }],
    ['another claim as identity', { jwtIdentityClaim: 'oid', jwtVerifyingIssuers: 'tripfolio' }],
  ]
  for (const [what, flags] of settings) {
    it(`makes a token that the verifier accepts until it expires, with ${what}`, async () => {
      const rules = rulesOf(flags)
      const { token, expiresAt } = await issueToken(rules, ann, 600, NOW * 1000)
      assert.equal(expiresAt, new Date((NOW + 600) * 1000).toISOString())
      const at = (seconds: number) =>
        createTokenVerifier(rules, () => (NOW + seconds) * 1000)(`Bearer ${token}`)
      const check = await at(600)
      assert.ok(check.kind === 'valid', JSON.stringify(check))
      const { name, email, principalId, roles } = check.user
      assert.deepEqual({ name, email, roles }, ann)
      assert.equal(principalId, 'user:ann@example.org')
      assert.equal((await at(630)).kind, 'invalid')
    })
  }

  it('uses the name of a holder without an address, and never makes the same token twice', async () => {
    const rules = rulesOf()
    const holder = { name: 'ann', email: undefined, roles: [] }
    const { token } = await issueToken(rules, holder, 600)
    const check = await createTokenVerifier(rules)(`Bearer ${token}`)
    assert.equal(check.kind === 'valid' && check.user.principalId, 'user:ann')
    assert.notEqual((await issueToken(rules, holder, 600)).token, token)
  })

  it('asks for an address when it is the identity', async () => {
    const rules = rulesOf({ jwtIdentityClaim: 'email' })
    await assert.rejects(issueToken(rules, { ...ann, email: undefined }, 600), { code: 'AUT105' })
  })

  it('refuses when an identity provider signs tokens', async () => {
    await assert.rejects(issueToken(rulesOf({ jwtKeys: './keys.json' }), ann, 600), { code: 'AUT104' })
    await assert.rejects(issueToken(rulesOf({ jwtKeys: 'https://id.example' }), ann, 600), { code: 'AUT104' })
  })

  const bad: readonly (readonly [what: string, holder: Partial<TokenHolder>])[] = [
    ['an empty name', { name: ' ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name of two lines', { name: 'a\nb' }],
    ['an empty role', { roles: ['admin', ''] }],
    ['a role of 101 characters', { roles: ['x'.repeat(101)] }],
    ['an address without a host', { email: 'ann' }],
    ['an address with a space', { email: 'an n@b' }],
  ]
  for (const [what, holder] of bad) {
    it(`refuses ${what} before it makes a key`, async () => {
      const folder = mkdtempSync(join(data, 'bad-'))
      await assert.rejects(issueToken(rulesOf({ data: folder }), { ...ann, ...holder }, 600), {
        code: 'AUT105',
      })
      assert.deepEqual(readdirSync(folder), [])
    })
  }
})

describe('readTimeToLive', () => {
  const rows: readonly (readonly [text: string, seconds: number | null])[] = [
    ['1m', 60],
    ['30m', 1800],
    ['1h', 3600],
    ['36h', 129_600],
    ['7d', 604_800],
    ['366d', 31_622_400],
    ['367d', null],
    ['0m', null],
    ['', null],
    ['1', null],
    ['h', null],
    ['1H', null],
    ['1.5h', null],
    ['-1h', null],
    ['1h30m', null],
    ['1 h', null],
    ['30s', null],
    ['1w', null],
    ['9999999m', null],
  ]
  for (const [text, seconds] of rows) {
    it(seconds === null ? `refuses '${text}'` : `reads ${text} as ${seconds} seconds`, () => {
      if (seconds !== null) return assert.equal(readTimeToLive(text), seconds)
      assert.throws(
        () => readTimeToLive(text),
        (error) => error instanceof Problem && error.code === 'AUT106' && error.hint !== undefined,
      )
    })
  }
})
