import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { writeJson } from '../../script/values.ts'
import { createRedaction } from './redaction.ts'

const hiding = (...secrets: readonly string[]) => {
  const redaction = createRedaction([])
  for (const secret of secrets) redaction.hide(secret)
  return redaction
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inScriptJson = (text: string) => writeJson(text, { work: () => {}, escapes: 'to-json' }).slice(1, -1)
const everyUnitEscaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
const inForm = (text: string) => new URLSearchParams({ x: text }).toString().slice(2)
const everyByteEncoded = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&')
const base64After = (before: string, encoding: 'base64' | 'base64url') => (text: string) =>
  Buffer.from(`${before}${text}..`).toString(encoding)

/** The encodings in which a text may carry a secret. */
const carriers: Readonly<Record<string, (text: string) => string>> = {
  plainly: (text) => text,
  'in JSON': inJson,
  'in JSON of scripts': inScriptJson,
  'in JSON with every unit escaped': everyUnitEscaped,
  'in JSON with upper-case digits': (text) =>
    everyUnitEscaped(text).replace(/u(....)/g, (_, digits: string) => `u${digits.toUpperCase()}`),
  'in JSON in JSON': (text) => inJson(JSON.stringify(text)),
  'in JSON in JSON of scripts': (text) => inScriptJson(JSON.stringify(text)),
  'in an address': encodeURIComponent,
  'in an address in lower case': (text) =>
    encodeURIComponent(text).replace(/%../g, (sign) => sign.toLowerCase()),
  'in a form': inForm,
  'in an address with every byte encoded': everyByteEncoded,
  'in an address in an address': (text) => encodeURIComponent(inForm(text)),
  'in JSON in a form': (text) => inForm(inJson(text)),
  'in a form in JSON of scripts': (text) => inScriptJson(inForm(text)),
  'in JSON in a form in JSON': (text) => inJson(inForm(everyUnitEscaped(text))),
  'in JSON in JSON in JSON': (text) => inJson(inJson(everyUnitEscaped(text))),
  'in an address in an address in an address': (text) =>
    encodeURIComponent(encodeURIComponent(everyByteEncoded(text))),
  'in base64': base64After('', 'base64'),
  'in base64 after one byte': base64After('u', 'base64'),
  'in base64 after two bytes': base64After('u:', 'base64'),
  'in base64url': base64After('', 'base64url'),
  'in base64url after one byte': base64After('u', 'base64url'),
  'in base64url after two bytes': base64After('u:', 'base64url'),
  'in base64 in a form': (text) => inForm(base64After('u:', 'base64')(text)),
  'in base64 in JSON of scripts': (text) => inScriptJson(base64After('u:', 'base64')(text)),
}

const MARK = '[redacted]'

describe('a hidden secret', () => {
  const secrets = [
    'hunter2hunter2',
    'p@ss "word"\\+/=&é€😀',
    'aaaa',
    '50% off',
    '{"type":"account","key":"-\\n-"}',
    '+-_/ -+',
    'é€😀',
  ]
  for (const [how, carry] of Object.entries(carriers)) {
    it(`is replaced ${how}`, () => {
      for (const secret of secrets) {
        const carried = carry(secret)
        const around = hiding(secret).text(`before ${carried} after`)
        assert.ok(around.startsWith('before ') && around.endsWith(' after'), around)
        assert.ok(around.includes(MARK), around)
        // Quotation marks of inner JSON stay, and base64 digits that are shared with the neighbouring bytes.
        assert.ok(around.length <= `before ${MARK} after`.length + 16, around)
      }
    })
  }

  for (const before of ['', 'u', 'u:']) {
    it(`is replaced in base64 without the digits that it shares, after ${before.length} bytes`, () => {
      for (const secret of ['hunter2hunter2', 'p4ssw', 'é€😀', 'abcdefg', 'abcdefgh']) {
        const bits = 8 * before.length
        const [first, end] = [Math.ceil(bits / 6), Math.floor((bits + 8 * Buffer.byteLength(secret)) / 6)]
        const digits = base64After(before, 'base64')(secret)
        const own = digits.slice(first, end)
        const { text } = hiding(secret)
        // The outer digits are shared with the neighbouring bytes, if there are any.
        assert.equal(text(own), MARK)
        assert.equal(text(`<${own}>`), `<${MARK}>`)
        assert.equal(text(digits), digits.slice(0, first) + MARK + digits.slice(end))
      }
    })
  }

  it('is replaced wherever it occurs, also in overlapping occurrences', () => {
    assert.equal(hiding('abcab').text('abcabcab, abcab'), `${MARK}, ${MARK}`)
    assert.equal(hiding('aaaa').text(`b${'a'.repeat(1001)}b`), `b${MARK}b`)
  })

  it('leaves nothing behind when another secret contains or overlaps it, whichever was hidden first', () => {
    for (const secrets of [
      ['secret', 'my-secret-key'],
      ['my-secret-key', 'secret'],
    ]) {
      assert.equal(hiding(...secrets).text('a my-secret-key, a secret'), `a ${MARK}, a ${MARK}`)
    }
    assert.equal(hiding('12345678', '5678abcd').text('x12345678abcdx'), `x${MARK}x`)
  })

  it('is replaced in headers, query strings and bodies of every kind', () => {
    const { headers, queryString, body } = hiding('s3cr3t/é')
    assert.deepEqual(headers({ 'x-a': 'is s3cr3t/é' }), { 'x-a': `is ${MARK}` })
    assert.equal(queryString('?q=s3cr3t%2f%C3%A9&x=1'), `?q=${MARK}&x=1`)
    assert.equal(body('q=a+s3cr3t%2F%c3%a9', 'form'), `q=a%20${MARK}`)
    assert.equal(body('it is s3cr3t/é', 'text'), `it is ${MARK}`)
    assert.equal(body('{"a": "s3cr3t\\/\\u00E9", "b": 1}', 'json'), `{"a": "${MARK}", "b": 1}`)
    assert.equal(body('{"s3cr3t/é": 1}', 'json'), `{"${MARK}": 1}`)
  })

  it('leaves valid JSON when it is replaced as a number, a word or a whole value', () => {
    assert.equal(
      hiding('12345678').body('{"n":12345678,"m":[1123456780]}', 'json'),
      `{"n":"${MARK}","m":["${MARK}"]}`,
    )
    assert.equal(hiding('true').body('[true,false]', 'json'), `["${MARK}",false]`)
    assert.equal(hiding('{"a":1,"b":2}').body('{"x":{"a":1,"b":2}}', 'json'), `"${MARK}"`)
  })

  it('of fewer than four bytes is replaced only where it stands alone, and an empty one nowhere', () => {
    assert.equal(hiding('123').text('pin 123, not 1234 or a123'), `pin ${MARK}, not 1234 or a123`)
    assert.equal(hiding('a|b', 'x-y').text('a|b x-y a b'), `${MARK} ${MARK} a b`)
    for (const secret of ['', '"', ', ']) assert.equal(hiding(secret).text('a, "b"'), 'a, "b"')
    assert.equal(hiding('1').body('{"a":1,"b":12}', 'json'), `{"a":"${MARK}","b":12}`)
    assert.equal(hiding('1 2').queryString('?a=1+2&b=12'), `?a=${MARK}&b=12`)
    assert.equal(hiding('1 2').body('a=1+2&b=12', 'form'), `a=${MARK}&b=12`)
  })

  it('changes nothing when it is part of the mark itself', () => {
    assert.equal(hiding('redacted').text('x redacted'), 'x redacted')
  })

  it('is found in long texts among many similar secrets', () => {
    const others = Array.from({ length: 100 }, (_, nth) => `${'a'.repeat(650 * nth)}b`)
    const text = `${'a'.repeat(2 ** 20)} s3cr3t! ${'a'.repeat(2 ** 20)}`
    assert.equal(hiding(...others, 's3cr3t!').text(text), text.replace('s3cr3t!', MARK))
  })
})

describe('any hidden text', () => {
  const character = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...'abAB01') },
    { weight: 2, arbitrary: fc.constantFrom(...' "\\/+-_=&%<>\'`\n\t\u2028éß€😀') },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
  )
  const textOf = (minLength: number, maxLength: number) =>
    fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''))
  const secret = textOf(4, 40).filter((text) => text.length >= 4 && !MARK.includes(text))
  const around = textOf(0, 30)

  it('is gone in every encoding and in every surrounding text', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...Object.keys(carriers)),
        around,
        around,
        (secrets, how, before, after) => {
          const redaction = hiding(...secrets)
          const carried = carriers[how]!(secrets[0]!)
          const redacted = redaction.text(`${before}|${carried}|${after}`)
          // Without the base64 digits that are shared with the neighbouring bytes.
          const core = how.includes('base64') ? carried.slice(3, -6) : carried
          assert.ok(!redacted.includes(core) || core.length < 4, redacted)
          assert.ok(redacted.includes(MARK), redacted)
        },
      ),
      { seed: campaignSeed, numRuns: repeated(700, 20_000) },
    )
  })

  it('leaves valid JSON, without the secret in any of its texts', () => {
    fc.assert(
      fc.property(secret, fc.json(), around, (hidden, json, before) => {
        const document = JSON.stringify({ [before]: JSON.parse(json), [hidden]: [before + hidden, 1] })
        const redacted = hiding(hidden).body(document, 'json')
        JSON.parse(redacted, (_, value) => {
          if (typeof value === 'string') assert.ok(!value.includes(hidden), redacted)
          return value
        })
      }),
      { seed: campaignSeed, numRuns: repeated(400, 10_000) },
    )
  })

  it('leaves texts unchanged that hold neither the secret nor anything like a credential', () => {
    const hidden = fc.array(fc.constantFrom(...'XYZ'), { minLength: 4, maxLength: 12 })
    const harmless = fc.string({ unit: fc.constantFrom(...'abc12 {}[]",.\\%+<>\n\u00e9😀\ud800') })
    fc.assert(
      fc.property(fc.array(hidden, { maxLength: 5 }), harmless, (secrets, text) => {
        const redaction = hiding(...secrets.map((letters) => letters.join('')))
        for (const kind of ['json', 'form', 'text'] as const) assert.equal(redaction.body(text, kind), text)
        assert.equal(redaction.queryString(`?${text}`), `?${text}`)
        assert.deepEqual(redaction.headers({ accept: text }), { accept: text })
      }),
      { seed: campaignSeed, numRuns: repeated(400, 10_000) },
    )
  })
})
