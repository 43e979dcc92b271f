import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { SignatureCheck } from '../../schema/endpoint-shapes.ts'
import { signatureHeaders, verifySignature } from './signature.ts'

type Case = {
  readonly what: string
  readonly check: Omit<SignatureCheck, 'secret'>
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** In seconds; by default the time of signing. */
  readonly now?: number
}

/** Examples from the documentation of GitHub and Slack and from RFC 4231; those for Stripe come from another implementation. */
const github = {
  check: { style: 'github' },
  secret: "It's a Secret to Everybody",
  headers: {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  body: 'Hello, World!',
} as const

const slackDigest = 'a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'
const slack = {
  check: { style: 'slack' },
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  headers: { 'x-slack-signature': `v0=${slackDigest}`, 'x-slack-request-timestamp': '1531420618' },
  body:
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
    '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
    '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
    '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  now: 1531420618,
} as const

const stripeDigest = '654b43d3508ecadb3f8cefc4bc7d3d2bdc5ba9e03bf2c89b2d0657a8e24e4543'
const olderStripeDigest = '0e93f111003452bf1e2739076b69fb54a434a7c01522d4ecfce14c40ffa21b4f'
const stripe = {
  check: { style: 'stripe' },
  secret: 'whsec_test_secret',
  headers: { 'stripe-signature': `t=1492774577,v1=${stripeDigest},v0=${olderStripeDigest}` },
  body: '{"id":"evt_1","object":"event"}',
  now: 1492774577,
} as const
const signedStripe = (value: string) => ({ 'stripe-signature': value })

const plainDigest = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
const plain = {
  check: { style: 'plain' },
  secret: 'Jefe',
  headers: { 'x-signature': plainDigest },
  body: 'what do ya want for nothing?',
} as const
const timedPlain = {
  ...plain,
  check: { style: 'plain', timestampHeader: 'X-Time' },
  headers: {
    'x-signature': '67f24afb9e377a28d19b609ca305e74a79706d8dd2360f8285ac2aa402d8735e',
    'x-time': '1492774577',
  },
  now: 1492774577,
} as const

const accepted: readonly Case[] = [
  { what: 'GitHub, of its documentation', ...github },
  {
    what: 'GitHub, by the older header',
    ...github,
    check: { style: 'github', algorithm: 'sha1' },
    headers: { 'x-hub-signature': 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59' },
  },
  { what: 'Slack, of its documentation', ...slack },
  { what: 'Slack, at the edge of the tolerance', ...slack, now: 1531420618 + 300 },
  { what: 'Slack, with a clock that is ahead', ...slack, now: 1531420618 - 300 },
  { what: 'Stripe', ...stripe },
  {
    what: 'Stripe, while a secret is exchanged',
    ...stripe,
    headers: signedStripe(`t=1492774577,v1=${olderStripeDigest},v1=${stripeDigest}`),
  },
  {
    what: 'Stripe, by the older of two secrets',
    ...stripe,
    secret: 'whsec_older_secret',
    headers: signedStripe(`t=1492774577, v1=${olderStripeDigest}, v1=${stripeDigest}`),
  },
  {
    what: 'Stripe, with a tolerance of a day',
    ...stripe,
    check: { style: 'stripe', toleranceSeconds: 86_400 },
    now: 1492774577 + 86_400,
  },
  { what: 'a plain digest, of RFC 4231', ...plain },
  { what: 'a digest in capitals', ...plain, headers: { 'x-signature': plainDigest.toUpperCase() } },
  {
    what: 'SHA-512 in base64 under a name of its own',
    ...plain,
    check: { style: 'plain', algorithm: 'sha512', encoding: 'base64', header: 'X-My-Hmac', prefix: 'HMAC ' },
    headers: {
      'x-my-hmac':
        'HMAC Fkt6e/z4GeLjlfvnO1bgo4e9ZCIugx/WECcM1+olBVSXWL91wFqZSm0DT2X48Ob9yuqxo01Ka0tjbgcKOLznNw==',
    },
  },
  { what: 'a plain digest of time and body', ...timedPlain },
]

const refused: readonly (Case & { readonly reason: RegExp })[] = [
  { what: 'no signature', ...github, headers: {}, reason: /x-hub-signature-256 is missing/ },
  { what: 'an empty signature', ...github, headers: { 'x-hub-signature-256': ' ' }, reason: /is missing/ },
  { what: 'another secret', ...github, secret: 'It is a secret', reason: /does not match the body/ },
  { what: 'another body', ...github, body: 'Hello, world!', reason: /does not match the body/ },
  { what: 'an empty body', ...github, body: '', reason: /does not match the body/ },
  {
    what: 'a digest without its prefix',
    ...github,
    headers: { 'x-hub-signature-256': github.headers['x-hub-signature-256'].slice(7) },
    reason: /does not begin with sha256=/,
  },
  {
    what: 'the beginning of the digest',
    ...github,
    headers: { 'x-hub-signature-256': 'sha256=757107ea' },
    reason: /does not match the body/,
  },
  {
    what: 'a text that is not a digest',
    ...plain,
    headers: { 'x-signature': 'xyz' },
    reason: /no hex digest/,
  },
  { what: 'a digest of odd length', ...plain, headers: { 'x-signature': 'abc' }, reason: /no hex digest/ },
  {
    what: 'two digests, as two headers are joined',
    ...plain,
    headers: { 'x-signature': `${plainDigest}, ${plainDigest}` },
    reason: /no hex digest/,
  },
  {
    what: 'a delivery of Slack that is repeated later',
    ...slack,
    now: 1531420618 + 301,
    reason: /301 seconds ago/,
  },
  {
    what: 'a delivery of Slack from the future',
    ...slack,
    now: 1531420618 - 301,
    reason: /301 seconds in the future/,
  },
  {
    what: 'an older delivery of Slack with the time changed',
    ...slack,
    headers: { 'x-slack-signature': `v0=${slackDigest}`, 'x-slack-request-timestamp': '1531420619' },
    reason: /does not match the body/,
  },
  {
    what: 'a delivery of Slack without time',
    ...slack,
    headers: { 'x-slack-signature': `v0=${slackDigest}` },
    reason: /x-slack-request-timestamp does not hold seconds/,
  },
  {
    what: 'a time that is not a number',
    ...slack,
    headers: { ...slack.headers, 'x-slack-request-timestamp': '1e9' },
    reason: /does not hold seconds/,
  },
  {
    what: 'a delivery of Stripe that is repeated later',
    ...stripe,
    now: 1492774577 + 301,
    reason: /seconds ago/,
  },
  {
    what: 'a delivery of Stripe with the time changed',
    ...stripe,
    headers: signedStripe(`t=1492774578,v1=${stripeDigest}`),
    reason: /does not match the body/,
  },
  {
    what: 'a delivery of Stripe with two times',
    ...stripe,
    headers: signedStripe(`t=1492774577,t=1492774578,v1=${stripeDigest}`),
    reason: /no time of signing/,
  },
  {
    what: 'a delivery of Stripe signed in another version',
    ...stripe,
    headers: signedStripe(`t=1492774577,v0=${stripeDigest}`),
    reason: /no hex digest/,
  },
  {
    what: 'a signature of Stripe without time',
    ...stripe,
    headers: signedStripe(`v1=${stripeDigest}`),
    reason: /time/,
  },
  {
    what: 'a right digest behind too many wrong ones',
    ...stripe,
    headers: signedStripe(`t=1492774577,${'v1=00,'.repeat(16)}v1=${stripeDigest}`),
    reason: /does not match the body/,
  },
  {
    what: 'a plain digest whose time is not signed with it',
    ...timedPlain,
    headers: { 'x-signature': plainDigest, 'x-time': '1492774577' },
    reason: /does not match the body/,
  },
]

const verdictOf = ({ check, secret, headers, body, now = 0 }: Case) =>
  verifySignature({ secret: 'name', ...check }, [secret], {
    headers,
    body: Buffer.from(body),
    now: now * 1000,
  })

describe('the signature of a delivery', () => {
  for (const one of accepted) {
    it(`is accepted: ${one.what}`, () => assert.deepEqual(verdictOf(one), { good: true, secretIndex: 0 }))
  }

  for (const { reason, ...one } of refused) {
    it(`is refused: ${one.what}`, () => {
      const verdict = verdictOf(one)
      assert.ok(!verdict.good)
      assert.match(verdict.reason, reason)
      assert.ok(!verdict.reason.includes(one.secret))
    })
  }

  it('is computed from the bytes, not from a decoded text', () => {
    const body = Buffer.from([0xff, 0x00, 0xfe])
    const digest = createHmac('sha256', 's').update(body).digest('hex')
    const delivery = { headers: { 'x-signature': digest }, body, now: 0 }
    assert.deepEqual(verifySignature({ style: 'plain', secret: 'name' }, ['s'], delivery), {
      ...{ good: true, secretIndex: 0 },
    })
  })

  const rotated: readonly (readonly [signedWith: string, secretIndex: number | null])[] = [
    ['new', 0],
    ['old', 1],
    ['older', null],
  ]
  for (const [signedWith, secretIndex] of rotated) {
    it(`tells which of two secrets has signed: ${signedWith}`, () => {
      const body = Buffer.from('{}')
      const digest = createHmac('sha256', signedWith).update(body).digest('hex')
      const delivery = { headers: { 'x-signature': digest }, body, now: 0 }
      const verdict = verifySignature({ style: 'plain', secret: 'name' }, ['new', 'old'], delivery)
      assert.equal(verdict.good ? verdict.secretIndex : null, secretIndex)
    })
  }
})

describe('signatureHeaders', () => {
  const rows: readonly (readonly [check: SignatureCheck | null, headers: readonly string[]])[] = [
    [null, []],
    [{ style: 'github', secret: 's' }, ['x-hub-signature-256']],
    [{ style: 'github', secret: 's', algorithm: 'sha1' }, ['x-hub-signature']],
    [{ style: 'stripe', secret: 's' }, ['stripe-signature']],
    [{ style: 'slack', secret: 's' }, ['x-slack-signature']],
    [{ style: 'plain', secret: 's' }, ['x-signature']],
    [{ style: 'plain', secret: 's', header: 'X-My-Hmac' }, ['x-my-hmac']],
  ]
  for (const [check, headers] of rows) {
    it(`names the headers that must not be recorded: ${headers.join() || 'none'}`, () =>
      assert.deepEqual(signatureHeaders(check), headers))
  }
})
