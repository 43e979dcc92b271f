import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { isCredentialHeader, isCredentialName } from './credential-names.ts'
import { createRedaction } from './redaction.ts'

const redaction = createRedaction(['X-Hub-Digest'])

describe('names', () => {
  const credentials = [
    ...['password', 'Password', 'PASSWORD', 'newPassword', 'new_password', 'new-password', 'dbpassword'],
    ...['passwd', 'user.passwd', 'pwd', 'passphrase', 'password2', 'password_confirmation', 'passwordHash'],
    ...['secret', 'client_secret', 'clientSecret', 'CLIENT-SECRET', 'secrets', 'secretValue'],
    ...['token', 'access_token', 'accessToken', 'accesstoken', 'refresh_token', 'id_token', 'IDToken'],
    ...['api_key', 'apikey', 'api-key', 'apiKey', 'APIKey', 'x-api-key', 'Ocp-Apim-Subscription-Key'],
    ...['authorization', 'psk', 'PSK', 'old_psk', 'signature', 'X-Amz-Signature', 'X-Amz-Credential', 'sig'],
    ...['private_key', 'privateKey', 'credential', 'credentials', 'session_id', 'sessionId', 'JSESSIONID'],
    ...[
      'user[password]',
      'user[api_key]',
      'filter.token',
      'otp',
      'jwt',
      'Set-Cookie',
      'AccountKey',
      'tokens',
    ],
  ]
  const innocent = [
    ...['', 'name', 'key', 'primaryKey', 'tokenCount', 'token_type', 'tokenizer', 'secretary', 'secretName'],
    ...['passwordPolicy', 'passenger', 'passport', 'signal', 'design', 'authorName', 'authorized', 'compass'],
    ...['signatureRequired', 'sessionName', 'hotpot', 'significance', 'cookieBanner', 'x'.repeat(300)],
  ]
  it('are recognised by their last word, in any letter case and with any separator', () => {
    for (const name of credentials) assert.equal(isCredentialName(name), true, name)
    for (const name of innocent) assert.equal(isCredentialName(name), false, name)
  })

  it('in the plural count as counts when their value is a number', () => {
    assert.equal(isCredentialName('tokens', '512'), false)
    assert.equal(isCredentialName('max_tokens', '512'), false)
    assert.equal(isCredentialName('tokens', 'a1b2'), true)
    assert.equal(isCredentialName('token', '512'), true)
  })

  it('of headers are matched more broadly', () => {
    for (const name of [
      ...['authorization', 'Proxy-Authorization', 'x-api-key', 'psk', 'cookie', 'set-cookie', 'x-token-id'],
      ...['x-hub-signature-256', 'stripe-signature', 'x-secret-thing', 'x-password-x', 'my-api-key-2'],
    ]) {
      assert.equal(isCredentialHeader(name), true, name)
    }
    for (const name of ['accept', 'content-type', 'user-agent', 'x-request-id', 'host', 'etag']) {
      assert.equal(isCredentialHeader(name), false, name)
    }
  })
})

describe('headers', () => {
  it('lose their values when they carry credentials or signatures, and are redacted as texts otherwise', () => {
    assert.deepEqual(
      redaction.headers({
        authorization: 'Bearer abc',
        'X-HUB-DIGEST': 'f00',
        'x-github-delivery': '72d3162e',
        referer: 'https://example.com/?token=abc&page=2',
        accept: '*/*',
      }),
      {
        authorization: '[redacted]',
        'X-HUB-DIGEST': '[redacted]',
        'x-github-delivery': '72d3162e',
        referer: 'https://example.com/?token=[redacted]&page=2',
        accept: '*/*',
      },
    )
  })
})

describe('texts', () => {
  const cases: readonly [text: string, expected: string][] = [
    ['password=hunter2', 'password=[redacted]'],
    ['a=1&password=hunter2&b=2', 'a=1&password=[redacted]&b=2'],
    ['password = "two words", next', 'password = "[redacted]", next'],
    ["{ apiKey: 'k-1' }", "{ apiKey: '[redacted]' }"],
    ['{"password": "hun\\"ter2", "x": 1}', '{"password": "[redacted]", "x": 1}'],
    ['{"user":{"token":"abc', '{"user":{"token":"[redacted]'],
    ['{"token":123456,"n":1', '{"token":[redacted],"n":1'],
    ['"{\\"token\\":\\"a\\\\\\"b\\",\\"n\\":1}"', '"{\\"token\\":\\"[redacted]\\",\\"n\\":1}"'],
    ['Authorization: Bearer abc.DEF-1_2~3+4/5== sent', 'Authorization: Bearer [redacted] sent'],
    ['bearer%20abc', 'bearer%20[redacted]'],
    ['Basic dXNlcjpwYXNz, then', 'Basic [redacted], then'],
    ['JWT eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln.', 'JWT [redacted]'],
    ['x%3DeyJhbGci.eyJzdWIi.c2ln&y', 'x%3D[redacted]&y'],
    ['unsigned eyJhbGci.eyJzdWIi. sent', 'unsigned [redacted] sent'],
    ['https://ann:pa55@host/path', 'https://ann:[redacted]@host/path'],
    [
      '<wsse:Password Type="text">pa55</wsse:Password>',
      '<wsse:Password Type="text">[redacted]</wsse:Password>',
    ],
    ['token=[redacted]', 'token=[redacted]'],
    ['token=null', 'token=null'],
  ]
  for (const [text, expected] of cases) {
    it(`become ${expected} from ${text}`, () => {
      assert.equal(redaction.text(text), expected)
      assert.equal(redaction.body(text, 'text'), expected)
      assert.equal(redaction.text(expected), expected)
    })
  }

  const untouched = [
    '',
    'Token: expired',
    'The basic salary of a bearer',
    'tokenCount=5&secretName=STRIPE',
    'eyJ is how they begin, www.example.com/a.b.c',
    'https://example.com:8080/@ann',
    '<passenger>Ann</passenger>',
    'password=&x=1',
    'password=',
    'time 12:30, a=b',
    '\ud800 lone',
  ]
  for (const text of untouched) {
    it(`stay as they are: ${JSON.stringify(text)}`, () => assert.equal(redaction.text(text), text))
  }
})

describe('query strings', () => {
  const cases: readonly [query: string, expected: string][] = [
    ['', ''],
    ['?', '?'],
    ['?a=1&b=%20x+y', '?a=1&b=%20x+y'],
    ['?access_token=a%20b&x=1', '?access_token=[redacted]&x=1'],
    ['?user%5Bpassword%5D=x', '?user%5Bpassword%5D=[redacted]'],
    ['?token=a&token=b&token', '?token=[redacted]&token=[redacted]&token'],
    ['?token=', '?token='],
    [
      '?next=https%3A%2F%2Fh%2F%3Ftoken%3Dabc%26x%3D1',
      '?next=https%3A%2F%2Fh%2F%3Ftoken%3D[redacted]%26x%3D1',
    ],
    ['?token=%zz&x=%zz', '?token=[redacted]&x=%zz'],
    ['?tokenCount=3&tokens=7', '?tokenCount=3&tokens=7'],
  ]
  for (const [query, expected] of cases) {
    it(`become '${expected}' from '${query}'`, () => assert.equal(redaction.queryString(query), expected))
  }
})

describe('bodies', () => {
  it('of forms are redacted by parameter, JSON within them by member', () => {
    assert.equal(
      redaction.body('a=1&client_secret=x&payload=%7B%22token%22%3A%22x%22%2C%22n%22%3A1%7D', 'form'),
      'a=1&client_secret=[redacted]&payload=%7B%22token%22%3A%22[redacted]%22%2C%22n%22%3A1%7D',
    )
    // A lone surrogate cannot be encoded.
    assert.equal(redaction.body('note=pwd=x \ud800', 'form'), 'note=pwd%3D[redacted]%20%EF%BF%BD')
  })

  const cases: readonly [body: string, expected: string][] = [
    ['{"a": {"Password" : "x", "b": [1, 2]}}', '{"a": {"Password" : "[redacted]", "b": [1, 2]}}'],
    ['{"token":123,"n":12345678901234567890}', '{"token":"[redacted]","n":12345678901234567890}'],
    ['{"token":null,"secret":true,"password":""}', '{"token":null,"secret":true,"password":"[redacted]"}'],
    ['{"credentials":{"a":["}",{"b":1}]},"c":2}', '{"credentials":"[redacted]","c":2}'],
    ['{"tokens":512,"secrets":["a"]}', '{"tokens":512,"secrets":"[redacted]"}'],
    ['{"p\\u0061ssword":"x"}', '{"p\\u0061ssword":"[redacted]"}'],
    ['["password","x",{"x":"password"}]', '["password","x",{"x":"password"}]'],
    ['[[[{"api_key":-1.5e3}]]]', '[[[{"api_key":"[redacted]"}]]]'],
    ['"Bearer abc"', '"Bearer [redacted]"'],
    ['{"log":"line\\npassword=x\\nend"}', '{"log":"line\\npassword=[redacted]\\nend"}'],
    ['{"json":"{\\u0022token\\u0022:\\u0022x\\u0022}"}', '{"json":"{\\"token\\":\\"[redacted]\\"}"}'],
    ['{"tokenCount":3, "name":"\\u00e9"}\n', '{"tokenCount":3, "name":"\\u00e9"}\n'],
    ['null', 'null'],
    ['{"token":"abc","cut":"of', '{"token":"[redacted]","cut":"of'],
    ['', ''],
  ]
  for (const [body, expected] of cases) {
    it(`of JSON become ${JSON.stringify(expected)} from ${JSON.stringify(body)}`, () => {
      assert.equal(redaction.body(body, 'json'), expected)
    })
  }

  it('of JSON may be nested to any depth', () => {
    const depth = 200_000
    const nest = (inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth)
    assert.equal(redaction.body(nest('{"token":"x"}'), 'json'), nest('{"token":"[redacted]"}'))
  })
})

describe('a look for hints', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'password',
      'api_key',
      'apiKEY',
      'token',
      'tokenCount',
      'cost centre',
      'amount',
      'user[pwd]',
    ),
    fc.constantFrom(
      '"',
      '\\',
      '=',
      ':',
      '&',
      ' ',
      '{',
      '}',
      ',',
      '<',
      '>',
      '/',
      '://',
      '@',
      '%22',
      '%3D',
      '+',
      '\\"',
    ),
    fc.constantFrom(
      'bearer ',
      'Basic ',
      'dTpw',
      'eyJhbGciOi.eyJzdWIi.c2ln',
      'host',
      'x1',
      '42',
      'true',
      'null',
    ),
    fc.string({ maxLength: 4 }),
  )
  const pieces = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''))
  const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value))

  it('never skips a text that the full redaction would change', () => {
    fc.assert(
      fc.property(fc.oneof(pieces, json), (text) => {
        const quick = createRedaction([])
        const thorough = createRedaction([])
        // With a secret to look for, every text is searched in full.
        thorough.hide('\u{10abcd} is in no text')
        assert.equal(quick.text(text), thorough.text(text))
        assert.equal(quick.queryString(`?${text}`), thorough.queryString(`?${text}`))
        for (const kind of ['json', 'form', 'text'] as const) {
          assert.equal(quick.body(text, kind), thorough.body(text, kind))
        }
      }),
      { seed: campaignSeed, numRuns: repeated(1000, 30_000) },
    )
  })
})
