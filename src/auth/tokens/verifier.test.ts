import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Claims,
  ecKey,
  edKey,
  forge,
  hs256,
  jwks,
  publicJwk,
  rsaKey,
  signed,
} from '../testing/token-forge.ts'
import type { TokenRules } from './rules.ts'
import { createTokenVerifier, type TokenCheck, type VerifyToken } from './verifier.ts'

const NOW = 1_800_000_000
const rsa = rsaKey('rsa')
const ec = ecKey('ec')
const ed = edKey('ed')
/** Keys that the verifier does not have. */
const stranger = rsaKey('stranger')
const impostor = { ...rsaKey('rsa') }
const small = rsaKey('small', 1024)

let root: string
let rules: TokenRules
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-token-'))
  const path = join(root, 'keys.json')
  // Two keys with one name: the algorithm determines which one is used.
  const twin = { ...publicJwk({ ...ec, kid: 'rsa' }), alg: 'ES256' }
  writeFileSync(path, jwks(publicJwk(small), publicJwk(rsa), twin, publicJwk(ec), publicJwk(ed)))
  rules = {
    keys: { kind: 'file', path },
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    issuer: 'https://id.example',
    audience: 'tripfolio-api',
    rolesClaim: 'roles',
    identityClaim: 'sub',
    verifyingIssuers: [],
    namesIssuer: false,
  }
})
after(() => rmSync(root, { recursive: true }))

const good: Claims = {
  iss: 'https://id.example',
  aud: 'tripfolio-api',
  sub: 's-1',
  roles: ['admin'],
  iat: NOW,
  exp: NOW + 600,
}
const { exp: _, ...endless } = good
const { iss: __, ...withoutIssuer } = good
const { aud: ___, ...withoutAudience } = good

const clock = (start = NOW) => {
  let now = start * 1000
  return { now: () => now, pass: (seconds: number) => (now += seconds * 1000) }
}
const bearer = (token: string) => `Bearer ${token}`
const kindOf = async (check: TokenCheck | Promise<TokenCheck>) => (await check).kind
const verifier = (changes: Partial<TokenRules> = {}, now = clock().now): VerifyToken =>
  createTokenVerifier({ ...rules, ...changes }, now)

describe('a token', () => {
  const accepted: readonly (readonly [what: string, token: () => string])[] = [
    ['RS256', () => signed('RS256', rsa, good)],
    ['PS256', () => signed('PS256', rsa, good)],
    ['ES256', () => signed('ES256', ec, good)],
    ['EdDSA', () => signed('EdDSA', ed, good)],
    ['a key whose name another type of key has too', () => signed('ES256', { ...ec, kid: 'rsa' }, good)],
    ['the only key of its type, unnamed', () => signed('EdDSA', ed, good, { kid: undefined })],
    ['one of several keys that fit, unnamed', () => signed('RS256', rsa, good, { kid: undefined })],
    ['our audience among others', () => signed('RS256', rsa, { ...good, aud: ['other', 'tripfolio-api'] })],
    ['any type', () => signed('RS256', rsa, good, { typ: 'at+jwt', cty: 'x' })],
    ['an expiry within the skew', () => signed('RS256', rsa, { ...good, exp: NOW - 29 })],
    ['a not-before time within the skew', () => signed('RS256', rsa, { ...good, nbf: NOW + 30 })],
    ['a time of issue within the skew', () => signed('RS256', rsa, { ...good, iat: NOW + 30 })],
    ['no time of issue', () => signed('RS256', rsa, { ...good, iat: undefined })],
    ['another key in its header', () => signed('RS256', rsa, good, { jwk: publicJwk(stranger) })],
  ]
  for (const [what, token] of accepted) {
    it(`with ${what} is valid`, async () => {
      const check = await verifier()(bearer(token()))
      assert.equal(check.kind, 'valid', JSON.stringify(check))
      assert.deepEqual(check.kind === 'valid' && check.user.roles, ['admin'])
    })
  }

  const pem = () => createPublicKey(rsa.privateKey).export({ format: 'pem', type: 'spki' })
  const jwk = () => JSON.stringify(publicJwk(rsa))
  const hs = { alg: 'HS256', kid: 'rsa' }
  const none = (alg: string) => forge({ alg }, good, () => Buffer.alloc(0))
  const embedded = (header: Claims) => signed('RS256', stranger, good, header)
  const refused: readonly (readonly [what: string, token: () => string, reason: RegExp])[] = [
    ['no algorithm', () => none('none'), /alg/],
    ['no algorithm, in other letters', () => none('nOnE'), /alg/],
    ['the public key as the secret, as PEM', () => forge(hs, good, hs256(pem())), /alg/],
    ['the public key as the secret, as a line', () => forge(hs, good, hs256(`${pem()}`.trim())), /alg/],
    ['the public key as the secret, as JWK', () => forge(hs, good, hs256(jwk())), /alg/],
    ['an empty secret', () => forge(hs, good, hs256('')), /alg/],
    ['an algorithm that is not accepted', () => signed('RS512', rsa, good), /alg/],
    [
      'an algorithm for another type of key',
      () => signed('RS256', rsa, good, { alg: 'ES256', kid: 'ed' }),
      /key/,
    ],
    ['an elliptic signature and an RSA key', () => signed('ES256', ec, good, { kid: 'small' }), /key/],
    ['its own key as jwk', () => embedded({ jwk: publicJwk(stranger) }), /no applicable key/],
    [
      'a key of its own choice as jwk, under our name',
      () => embedded({ jwk: publicJwk(stranger), kid: 'rsa' }),
      /signature/,
    ],
    [
      'a key of its own choice as jku',
      () => embedded({ jku: 'http://127.0.0.1:1/keys' }),
      /no applicable key/,
    ],
    [
      'a key of its own choice as x5u',
      () => embedded({ x5u: 'http://127.0.0.1:1/cert' }),
      /no applicable key/,
    ],
    ['an unknown key', () => signed('RS256', stranger, good), /no applicable key/],
    ['another key with the name of a known one', () => signed('RS256', impostor, good), /signature/],
    ['another unnamed key', () => signed('RS256', stranger, good, { kid: undefined }), /signature/],
    ['a key of 1024 bits', () => signed('RS256', small, good), /2048/],
    [
      'an extension that must be understood',
      () => signed('RS256', rsa, good, { crit: ['exp'], exp: 1 }),
      /exp|crit/i,
    ],
    [
      'an unencoded payload',
      () => signed('RS256', rsa, good, { crit: ['b64'], b64: false }),
      /b64|payload|signature/i,
    ],
    ['no expiry', () => signed('RS256', rsa, endless), /exp/],
    ['an expiry that is text', () => signed('RS256', rsa, { ...good, exp: '2999-01-01' }), /exp/],
    ['an expiry beyond the skew', () => signed('RS256', rsa, { ...good, exp: NOW - 30 }), /exp/],
    [
      'an end in the past and an unnamed key',
      () => signed('RS256', rsa, { ...good, exp: 1 }, { kid: undefined }),
      /exp/,
    ],
    ['a not-before time in the future', () => signed('RS256', rsa, { ...good, nbf: NOW + 31 }), /nbf/],
    ['a time of issue in the future', () => signed('RS256', rsa, { ...good, iat: NOW + 31 }), /iat/],
    ['a time of issue that is text', () => signed('RS256', rsa, { ...good, iat: 'now' }), /iat/],
    ['another issuer', () => signed('RS256', rsa, { ...good, iss: 'https://id.example/' }), /iss/],
    ['no issuer', () => signed('RS256', rsa, withoutIssuer), /iss/],
    ['another audience', () => signed('RS256', rsa, { ...good, aud: ['tripfolio-api2'] }), /aud/],
    ['no audience', () => signed('RS256', rsa, withoutAudience), /aud/],
    ['no user', () => signed('RS256', rsa, { ...good, sub: undefined }), /identifies no user/],
    ['claims that are a list', () => signed('RS256', rsa, [good]), /object/],
    ['claims that are not JSON', () => signed('RS256', rsa, Buffer.from('{')), /object|JSON/],
    ['five parts', () => `${signed('RS256', rsa, good)}.a.b`, /JWS/],
    ['a changed signature', () => signed('RS256', rsa, good).replace(/.{4}$/, 'AAAA'), /signature/],
    ['no signature', () => signed('RS256', rsa, good).replace(/[^.]*$/, ''), /signature/],
    [
      'other claims than were signed',
      () => withClaims(signed('RS256', rsa, good), { ...good, sub: 's-2' }),
      /signature/,
    ],
    ['more than 16 KiB', () => signed('RS256', rsa, { ...good, more: 'x'.repeat(12_300) }), /16384/],
  ]
  for (const [what, token, reason] of refused) {
    it(`with ${what} is invalid`, async () => {
      const check = await verifier()(bearer(token()))
      assert.equal(check.kind, 'invalid', JSON.stringify(check))
      assert.match(check.kind === 'invalid' ? check.reason : '', reason)
    })
  }

  it('of any issuer and audience is valid when neither is set', async () => {
    const verify = verifier({ issuer: undefined, audience: undefined })
    assert.equal(await kindOf(verify(bearer(signed('RS256', rsa, { ...withoutIssuer, aud: 'x' })))), 'valid')
  })

  it('that was tampered with anywhere is invalid', async () => {
    const verify = verifier()
    const token = signed('EdDSA', ed, good)
    // Some bits of the last character are not part of a byte.
    const anyChange = fc.tuple(fc.nat(token.length - 2), fc.constantFrom(...'ABcd01_-.='))
    await fc.assert(
      fc.asyncProperty(anyChange, async ([at, letter]) => {
        fc.pre(token[at] !== letter)
        const changed = `${token.slice(0, at)}${letter}${token.slice(at + 1)}`
        assert.equal(await kindOf(verify(bearer(changed))), 'invalid')
      }),
    )
  })

  it('of random text is invalid and causes no error', async () => {
    const verify = verifier()
    const anyPart = fc.oneof(
      fc.base64String(),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      fc
        .record({ alg: fc.constantFrom('RS256', 'EdDSA', '', 1), kid: fc.jsonValue(), crit: fc.jsonValue() })
        .map((header) => Buffer.from(JSON.stringify(header)).toString('base64url')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyPart, { minLength: 1, maxLength: 4 }), async (parts) => {
        assert.equal(await kindOf(verify(bearer(parts.join('.')))), 'invalid')
      }),
    )
  })
})

describe('an Authorization header', () => {
  const token = () => signed('RS256', rsa, good)
  const headers: readonly (readonly [header: () => string | undefined, kind: TokenCheck['kind']])[] = [
    [() => undefined, 'none'],
    [() => '', 'none'],
    [() => 'Basic dXNlcjpwYXNz', 'none'],
    [() => 'Digest username="a"', 'none'],
    [() => 'BearerX', 'none'],
    [() => token(), 'none'],
    [() => `Bearer ${token()}`, 'valid'],
    [() => `bearer ${token()}`, 'valid'],
    [() => `BEARER ${token()}`, 'valid'],
    [() => `  Bearer   ${token()}`, 'valid'],
    [() => 'Bearer', 'invalid'],
    [() => 'Bearer ', 'invalid'],
    [() => `Bearer ${token()} x`, 'invalid'],
    [() => `Bearer ${token()}, Bearer ${token()}`, 'invalid'],
    [() => `Bearer "${token()}"`, 'invalid'],
    [() => `Bearer ${token()}\n`, 'invalid'],
    [() => 'Bearer é', 'invalid'],
  ]
  for (const [header, kind] of headers) {
    it(`of ${String(header()).replaceAll(token(), 'TOKEN')} counts as ${kind}`, async () => {
      assert.equal(await kindOf(verifier()(header())), kind)
    })
  }
})

const withClaims = (token: string, claims: Claims): string => {
  const [header, , signature] = token.split('.')
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}
