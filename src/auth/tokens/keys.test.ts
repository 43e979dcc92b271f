import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import * as jose from 'jose'
import { edKey, jwks, publicJwk, rsaKey, signed, type TestKey } from '../testing/token-forge.ts'
import { tokenKeyServer } from './key-server.ts'
import type { TokenKeySource, TokenRules } from './rules.ts'
import { createTokenVerifier, type TokenCheck } from './verifier.ts'

const NOW = 1_800_000_000

function verifierFor(keys: TokenKeySource) {
  let now = NOW * 1000
  let issued = 0
  const rules: TokenRules = {
    keys,
    algorithms: ['EdDSA', 'RS256'],
    issuer: undefined,
    audience: undefined,
    rolesClaim: 'roles',
    identityClaim: 'sub',
    verifyingIssuers: [],
    namesIssuer: false,
  }
  const verify = createTokenVerifier(rules, () => now)
  return {
    verify,
    /** The check of a new token. */
    check: async (key: TestKey): Promise<TokenCheck> =>
      verify(`Bearer ${signed('EdDSA', key, { sub: 's', jti: issued++, exp: NOW + 1e6 })}`),
    pass: (seconds: number) => {
      now += seconds * 1000
    },
  }
}
const reasonOf = (check: TokenCheck) => ('reason' in check ? check.reason : '')
const kinds = async (checks: readonly Promise<TokenCheck>[]) => [
  ...new Set((await Promise.all(checks)).map(({ kind }) => kind)),
]

describe('a file of keys', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'tripfolio-keys-'))
  })
  after(() => rmSync(root, { recursive: true }))

  it('is read again when it changes', async () => {
    const path = join(root, 'changing.json')
    const [old, next] = [edKey('old'), edKey('next')]
    writeFileSync(path, jwks(publicJwk(old)))
    const { check } = verifierFor({ kind: 'file', path })
    assert.equal((await check(old)).kind, 'valid')
    assert.equal((await check(next)).kind, 'invalid')
    writeFileSync(path, `\uFEFF${jwks(publicJwk(old), publicJwk(next))}`)
    assert.equal((await check(next)).kind, 'valid')
    writeFileSync(path, jwks(publicJwk(next)))
    assert.equal((await check(old)).kind, 'invalid')
  })

  it('that is damaged or missing gives the result unknown until it is repaired', async () => {
    const path = join(root, 'damaged.json')
    const key = edKey('k')
    const { check } = verifierFor({ kind: 'file', path })
    const bad = ['', '{', '[]', 'null', '{"keys":{}}', '{"keys":[1]}', '-----BEGIN PRIVATE KEY-----\nhidden']
    assert.match(reasonOf(await check(key)), /damaged\.json: ENOENT/)
    for (const content of bad) {
      writeFileSync(path, content)
      const answer = await check(key)
      assert.equal(answer.kind, 'unknown', content)
      assert.match(reasonOf(answer), /damaged\.json/)
      assert.doesNotMatch(reasonOf(answer), /hidden|PRIVATE/)
    }
    writeFileSync(path, jwks(publicJwk(key)))
    assert.equal((await check(key)).kind, 'valid')
    rmSync(path)
    assert.equal((await check(key)).kind, 'unknown')
  })

  it('with a key that is not a public key gives the result unknown for that key only', async () => {
    const path = join(root, 'private.json')
    const [exposed, broken, fine, shared] = [
      edKey('exposed'),
      rsaKey('broken'),
      edKey('fine'),
      edKey('shared'),
    ]
    const secret = { ...exposed.privateKey.export({ format: 'jwk' }), kid: 'exposed' }
    const oct = { kty: 'oct', k: 'c2VjcmV0', kid: 'shared' }
    writeFileSync(path, jwks(secret, { ...publicJwk(broken), n: undefined }, publicJwk(fine), oct))
    const { check, verify } = verifierFor({ kind: 'file', path })
    assert.equal((await check(fine)).kind, 'valid')
    assert.equal((await check(exposed)).kind, 'unknown')
    assert.equal((await check(shared)).kind, 'invalid')
    assert.equal(
      (await verify(`Bearer ${signed('RS256', broken, { sub: 's', exp: NOW + 60 })}`)).kind,
      'unknown',
    )
  })

  it('is tried up to its fourth matching key for a token that names none', async () => {
    const path = join(root, 'several.json')
    const keys = Array.from({ length: 5 }, (_, i) => edKey(`k-${i}`))
    writeFileSync(path, jwks(publicJwk(rsaKey('other')), ...keys.map(publicJwk)))
    const { verify } = verifierFor({ kind: 'file', path })
    const checks = keys.map(async (key) => {
      const token = signed('EdDSA', key, { sub: 's', exp: NOW + 60 }, { kid: undefined })
      return (await verify(`Bearer ${token}`)).kind
    })
    assert.deepEqual(await Promise.all(checks), ['valid', 'valid', 'valid', 'valid', 'invalid'])
  })
})

describe('a server of keys', () => {
  const known = edKey('known')
  const next = edKey('next')
  const answering =
    (...keys: TestKey[]) =>
    (response: ServerResponse) =>
      response.end(jwks(...keys.map(publicJwk)))

  /** A server that counts its requests and sends a given response. */
  async function keysOn(t: TestContext, first: (response: ServerResponse) => unknown) {
    const state = { answer: first, asked: 0 }
    const listener: RequestListener = (_, response) => {
      state.asked++
      state.answer(response)
    }
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const url = new URL(`http://127.0.0.1:${port}/keys?token=hidden`)
    return { state, url, server, ...verifierFor({ kind: 'server', url }) }
  }

  it('is called once for many tokens at the same time, and not again while its keys are fresh', async (t) => {
    const { check, pass, state } = await keysOn(t, answering(known))
    assert.deepEqual(await kinds(Array.from({ length: 50 }, () => check(known))), ['valid'])
    pass(599)
    assert.equal((await check(known)).kind, 'valid')
    assert.equal(state.asked, 1)
    pass(1)
    assert.equal((await check(known)).kind, 'valid')
    assert.equal(state.asked, 2)
  })

  it('is called for an unknown key, at most once in 30 seconds for any number of tokens', async (t) => {
    const { check, pass, state } = await keysOn(t, answering(known))
    const flood = () => kinds(Array.from({ length: 100 }, (_, i) => check({ ...next, kid: `k-${i}` })))
    assert.deepEqual(await flood(), ['invalid'])
    assert.equal(state.asked, 1)
    pass(29)
    assert.deepEqual(await flood(), ['invalid'])
    assert.equal(state.asked, 1)
    pass(1)
    state.answer = answering(known, next)
    assert.equal((await check(next)).kind, 'valid')
    assert.deepEqual(await flood(), ['invalid'])
    assert.equal(state.asked, 2)
  })

  it('makes a withdrawn key stop working', async (t) => {
    const { check, pass, state } = await keysOn(t, answering(known))
    assert.equal((await check(known)).kind, 'valid')
    state.answer = answering(next)
    pass(600)
    assert.equal((await check(known)).kind, 'invalid')
    assert.equal(state.asked, 2)
  })

  it('that fails is called again after 5 seconds, and gives the result unknown until then', async (t) => {
    const { check, pass, state } = await keysOn(t, (response) => response.writeHead(500).end())
    const flood = () => kinds(Array.from({ length: 20 }, () => check(known)))
    assert.deepEqual(await flood(), ['unknown'])
    assert.deepEqual(await flood(), ['unknown'])
    assert.equal(state.asked, 1)
    pass(5)
    state.answer = answering(known)
    assert.deepEqual(await flood(), ['valid'])
    assert.equal(state.asked, 2)
  })

  it('that fails later is not needed for an hour, except for keys that it may have added', async (t) => {
    const { check, pass, state } = await keysOn(t, answering(known))
    assert.equal((await check(known)).kind, 'valid')
    state.answer = (response) => response.destroy()
    pass(3599)
    assert.equal((await check(known)).kind, 'valid')
    assert.equal((await check(next)).kind, 'unknown')
    pass(1)
    assert.equal((await check(known)).kind, 'unknown')
  })

  it('is called again when the clock was set back', async (t) => {
    const { check, pass, state } = await keysOn(t, answering(known))
    assert.equal((await check(known)).kind, 'valid')
    pass(-86_400)
    assert.equal((await check(known)).kind, 'valid')
    assert.equal(state.asked, 2)
  })

  it('that cannot be reached gives the result unknown, and a reason without the secret part of the URL', async (t) => {
    const { check, server, url } = await keysOn(t, answering(known))
    await new Promise((closed) => server.close(closed))
    const answer = await check(known)
    assert.equal(answer.kind, 'unknown')
    assert.match(reasonOf(answer), new RegExp(`${url.host}/keys: .*ECONNREFUSED`))
    assert.doesNotMatch(reasonOf(answer), /hidden/)
  })

  const refused: readonly (readonly [
    what: string,
    answer: (response: ServerResponse) => unknown,
    reason: RegExp,
  ])[] = [
    ['text that is not JSON', (response) => response.end('<html>'), /not JSON/],
    ['another shape', (response) => response.end('{"keys":1}'), /malformed/],
    ['another status', (response) => response.writeHead(404).end(jwks(publicJwk(known))), /status 404/],
    [
      'a redirect',
      (response) =>
        response.req.url === '/elsewhere'
          ? response.end(jwks(publicJwk(known)))
          : response.writeHead(302, { location: '/elsewhere' }).end(),
      /redirect/,
    ],
    ['more than a megabyte', (response) => response.end(' '.repeat(2 ** 20 + 1)), /more than 1048576 bytes/],
    [
      'more than it announced to be the end of',
      (response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{')
        setImmediate(() => response.destroy())
      },
      /keys: /,
    ],
  ]
  for (const [what, answer, reason] of refused) {
    it(`that sends ${what} gives the result unknown`, async (t) => {
      const { check } = await keysOn(t, answer)
      const found = await check(known)
      assert.equal(found.kind, 'unknown')
      assert.match(reasonOf(found), reason)
    })
  }

  const silent: readonly (readonly [what: string, answer: (response: ServerResponse) => unknown])[] = [
    ['nothing', () => undefined],
    ['a beginning and no end', (response) => response.write('{')],
  ]
  for (const [what, answer] of silent) {
    it(`that sends ${what} is given up after the timeout`, async (t) => {
      const { url } = await keysOn(t, answer)
      const keyOf = tokenKeyServer(jose, url, Date.now, 50)
      const header = { alg: 'EdDSA', kid: 'known' }
      await assert.rejects(async () => keyOf(header, { payload: '', signature: '' }), {
        code: 'AUT103',
        message: /timeout/,
      })
    })
  }

  it('is not called when a token cannot be valid anyway', async (t) => {
    const { verify, state } = await keysOn(t, answering(known))
    const token = signed('EdDSA', known, { sub: 's', exp: NOW + 60 }, { alg: 'none' })
    assert.equal((await verify(`Bearer ${token}`)).kind, 'invalid')
    assert.equal((await verify('Bearer a.b.c')).kind, 'invalid')
    assert.equal(state.asked, 0)
  })
})
