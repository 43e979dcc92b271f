import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { readOrMakeKeyFile } from '../../kernel/files/key-file.ts'
import { edKey, forge, hs256, jwks, publicJwk, signed } from '../testing/token-forge.ts'
import { tokenRules } from './rules.ts'
import { createTokenVerifier, openTokenVerifier, type TokenCheck } from './verifier.ts'

const NOW = 1_800_000_000
const SECRET = 'a secret of thirty-two bytes, more or less'
const claims = { sub: 's-1', exp: NOW + 3600, iss: 'tripfolio' }

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-token-'))
})
after(() => rmSync(root, { recursive: true }))

function clocked(flags: Readonly<Record<string, unknown>>) {
  let now = NOW * 1000
  const rules = tokenRules(loadConfig({ env: {}, flags }))
  return {
    verify: createTokenVerifier(rules, () => now),
    pass: (seconds: number) => {
      now += seconds * 1000
    },
  }
}
const hsToken = (secret: string | Buffer, changes = {}, header = {}) =>
  `Bearer ${forge({ alg: 'HS256', ...header }, { ...claims, ...changes }, hs256(secret))}`
const kindOf = async (check: TokenCheck | Promise<TokenCheck>) => (await check).kind

describe('a token that was seen before', () => {
  it('returns the same user at once', async () => {
    const { verify } = clocked({ jwtSecret: SECRET })
    const token = hsToken(SECRET)
    const first = verify(token)
    assert.ok(first instanceof Promise)
    const valid = await first
    assert.equal(valid.kind, 'valid')
    assert.equal(verify(token), valid)
    assert.equal(verify(token.replace('Bearer', 'bearer')), valid)
  })

  it('is refused once it has expired, skew included', async () => {
    const { verify, pass } = clocked({ jwtSecret: SECRET })
    const token = hsToken(SECRET, { exp: NOW + 100 })
    assert.equal(await kindOf(verify(token)), 'valid')
    pass(129)
    assert.equal(await kindOf(verify(token)), 'valid')
    pass(1)
    assert.deepEqual(verify(token), { kind: 'invalid', reason: 'the token has expired' })
  })

  it('is not cached when it was invalid', async () => {
    const { verify, pass } = clocked({ jwtSecret: SECRET })
    const token = hsToken(SECRET, { nbf: NOW + 60 })
    assert.equal(await kindOf(verify(token)), 'invalid')
    pass(60)
    assert.equal(await kindOf(verify(token)), 'valid')
  })

  for (const [direction, step] of [
    ['later', 301],
    ['earlier, when the clock is set back', -301],
  ] as const) {
    it(`is checked again five minutes ${direction}`, async () => {
      const path = join(root, `${step}.json`)
      const [old, next] = [edKey('old'), edKey('next')]
      writeFileSync(path, jwks(publicJwk(old)))
      const { verify, pass } = clocked({ jwtKeys: path })
      const token = `Bearer ${signed('EdDSA', old, claims)}`
      assert.equal(await kindOf(verify(token)), 'valid')
      writeFileSync(path, jwks(publicJwk(next)))
      pass(Math.sign(step) * 300)
      assert.equal(await kindOf(verify(token)), 'valid')
      pass(Math.sign(step))
      assert.equal(await kindOf(verify(token)), 'invalid')
    })
  }

  it('is evicted after many other tokens', async () => {
    const { verify } = clocked({ jwtSecret: SECRET })
    const token = hsToken(SECRET)
    const valid = await verify(token)
    assert.equal(verify(token), valid)
    const long = randomBytes(5000).toString('hex')
    for (let i = 0; i < 400; i++)
      assert.equal(await kindOf(verify(hsToken(SECRET, { jti: i, long }))), 'valid')
    assert.notEqual(verify(token), valid)
    assert.deepEqual(await verify(token), valid)
  })
})

describe('a shared secret', () => {
  it('accepts only tokens that it signed', async () => {
    const { verify } = clocked({ jwtSecret: SECRET })
    assert.equal(await kindOf(verify(hsToken(SECRET))), 'valid')
    assert.equal(await kindOf(verify(hsToken(SECRET, {}, { kid: 'any' }))), 'valid')
    assert.equal(await kindOf(verify(hsToken(`${SECRET} `))), 'invalid')
  })

  it('refuses every other algorithm', async () => {
    const { verify } = clocked({ jwtSecret: SECRET })
    assert.equal(await kindOf(verify(hsToken(SECRET, {}, { alg: 'HS512' }))), 'invalid')
    assert.equal(await kindOf(verify(hsToken(SECRET, {}, { alg: 'none' }))), 'invalid')
    assert.equal(await kindOf(verify(`Bearer ${signed('EdDSA', edKey('k'), claims)}`)), 'invalid')
  })

  it('requires issuer and audience when they are set', async () => {
    const { verify } = clocked({ jwtSecret: SECRET, jwtIssuer: 'us', jwtAudience: 'here' })
    assert.equal(await kindOf(verify(hsToken(SECRET, { iss: 'us', aud: 'here' }))), 'valid')
    assert.equal(await kindOf(verify(hsToken(SECRET, { iss: 'them', aud: 'here' }))), 'invalid')
    assert.equal(await kindOf(verify(hsToken(SECRET, { iss: 'us' }))), 'invalid')
  })
})

describe('the local key', () => {
  const dataFolder = () => mkdtempSync(join(root, 'data-'))

  it('accepts no token before one was issued, and a check does not make it', async () => {
    const data = dataFolder()
    const { verify } = clocked({ data })
    const check = await verify(hsToken(''))
    assert.deepEqual(check, { kind: 'invalid', reason: 'no token was issued here yet' })
    assert.ok(!existsSync(join(data, 'token.key')))
  })

  it('is read as soon as it exists, and again when it is replaced', async () => {
    const data = dataFolder()
    const path = join(data, 'token.key')
    const { verify } = clocked({ data })
    await verify(hsToken(''))
    const key = readOrMakeKeyFile(path, 32)
    assert.equal(await kindOf(verify(hsToken(key))), 'valid')
    rmSync(path)
    assert.notDeepEqual(readOrMakeKeyFile(path, 32), key)
    assert.equal(await kindOf(verify(hsToken(key, { jti: 'new' }))), 'invalid')
  })

  it('requires the local issuer', async () => {
    const data = dataFolder()
    const key = readOrMakeKeyFile(join(data, 'token.key'), 32)
    const { verify } = clocked({ data })
    assert.equal(await kindOf(verify(hsToken(key, { iss: 'other' }))), 'invalid')
    assert.equal(await kindOf(verify(hsToken(key, { iss: undefined }))), 'invalid')
  })

  it('gives the result unknown when its file is damaged', async () => {
    const data = dataFolder()
    writeFileSync(join(data, 'token.key'), 'damaged', { mode: 0o600 })
    const check = await clocked({ data }).verify(hsToken(''))
    assert.equal(check.kind, 'unknown')
    assert.match(check.kind === 'unknown' ? check.reason : '', /token\.key/)
  })
})

describe('openTokenVerifier', () => {
  it('reads nothing before the first token', async () => {
    const data = join(dataFolderOf(root), 'none')
    const verify = openTokenVerifier(loadConfig({ env: {}, flags: { data } }))
    assert.deepEqual(verify(undefined), { kind: 'none' })
    assert.ok(!existsSync(data))
    assert.ok(statSync(root).isDirectory())
  })
})

const dataFolderOf = (folder: string) => mkdtempSync(join(folder, 'data-'))
