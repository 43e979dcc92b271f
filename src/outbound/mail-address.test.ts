import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../kernel/problem.ts'
import { mailAddress, refuseOtherDomain } from './mail-address.ts'

describe('an address of mail', () => {
  for (const [text, name, address] of [
    ['ada@example.com', '', 'ada@example.com'],
    [' Ada Byrne <ada.b+x@mail.example.co.uk> ', 'Ada Byrne', 'ada.b+x@mail.example.co.uk'],
    ['"Byrne, A." <ada@example.com>', 'Byrne, A.', 'ada@example.com'],
    ['<ada@example.com>', '', 'ada@example.com'],
    ['J\u00f8rgen <j@example.com>', 'J\u00f8rgen', 'j@example.com'],
  ] as const) {
    it(`is ${text}`, () => assert.deepEqual(mailAddress(text), { name, address }))
  }

  for (const text of [
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example.com.',
    'ada@-a.example',
    'a..b@example.com',
    '.a@example.com',
    'a b@example.com',
    'ada@example.com, bob@example.com',
    'ada@example.com\r\nBcc: bob@example.com',
    'Ada\r\nBcc: bob@example.com <ada@example.com>',
    'Ada <bob@example.com> <ada@example.com>',
    'ada@ex\u00e4mple.com',
    '"a b"@example.com',
    'ada@[127.0.0.1]',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}`,
  ]) {
    it(`is not ${JSON.stringify(text.slice(0, 50))}`, () => {
      assert.throws(() => mailAddress(text), { code: 'OUT119' })
    })
  }

  it('never has a line end, another separator or another address in it', () => {
    const part = fc.constantFrom(
      'a',
      '@',
      '.',
      'example.com',
      '<',
      '>',
      ',',
      ';',
      ' ',
      '\r',
      '\n',
      '"',
      '\0',
      '\u202e',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        try {
          const { name, address } = mailAddress(parts.join(''))
          assert.match(address, /^[^\s<>,;"@]+@[^\s<>,;"@]+$/)
          assert.doesNotMatch(name, /[<>\p{Cc}\p{Cf}]/u)
        } catch (cause) {
          assert.ok(cause instanceof Problem)
        }
      }),
    )
  })

  it('goes only to domains that the operator allows', () => {
    const isAllowed = (address: string, domains: string | undefined) => {
      try {
        refuseOtherDomain({ name: '', address }, domains)
        return true
      } catch (cause) {
        assert.equal(cause instanceof Problem && cause.code, 'OUT119')
        return false
      }
    }
    for (const [address, domains, expected] of [
      ['a@example.com', undefined, true],
      ['a@example.com', 'other.com, Example.com', true],
      ['a@EXAMPLE.com', 'example.com', true],
      ['a@mail.example.com', 'example.com', false],
      ['a@mail.example.com', '*.example.com', true],
      ['a@example.com', '*.example.com', false],
      ['a@badexample.com', '*.example.com,example.com', false],
      ['a@example.com.evil.net', 'example.com', false],
      ['a@mail.example.com.evil.net', '*.example.com,example.com', false],
      ['a@xample.com', 'example.com', false],
      ['example.com@other.com', 'example.com', false],
      ['a%other.com@example.com', undefined, true],
      ['a%other.com@example.com', 'example.com', false],
      ['other.com!a@mail.example.com', '*.example.com', false],
      ['a@other.com', '', false],
    ] as const) {
      assert.equal(isAllowed(address, domains), expected, `${address} ${domains}`)
    }
  })
})
