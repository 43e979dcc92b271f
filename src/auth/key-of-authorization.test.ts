import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateApiKey } from '../directory/accounts/api-key.ts'
import { bearerKey, keyOfAuthorization } from './key-of-authorization.ts'

const key = generateApiKey()
const basic = (text: string) => Buffer.from(text).toString('base64')

describe('the API key in Authorization', () => {
  const cases: readonly (readonly [what: string, header: string | undefined, isFound: boolean])[] = [
    ['no header', undefined, false],
    ['an empty header', '', false],
    ['Bearer', `Bearer ${key}`, true],
    ['the scheme in another letter case, and more spaces', `bEARER   ${key} `, true],
    ['Bearer without a key', 'Bearer', false],
    ['Bearer without a space', `Bearer${key}`, false],
    ['a shorter key', `Bearer ${key.slice(1)}`, false],
    ['a longer key', `Bearer ${key}x`, false],
    ['two keys', `Bearer ${key} ${key}`, false],
    ['a JSON web token', `Bearer eyJhbGciOiJSUzI1NiJ9.${'x'.repeat(200)}.${'y'.repeat(86)}`, false],
    ['the key without a scheme', key, false],
    ['another scheme', `ApiKey ${key}`, false],
    ['the password of Basic', `Basic ${basic(`erp:${key}`)}`, true],
    ['the password of Basic without a user name', `basic ${basic(`:${key}`)}`, true],
    ['the password of Basic with a user name in UTF-8', `Basic ${basic(`Jürgen:${key}`)}`, true],
    ['Basic without padding', `Basic ${basic(`e:${key}`).replace(/=+$/, '')}`, true],
    ['the user name of Basic', `Basic ${basic(`${key}:`)}`, false],
    ['a password with another colon', `Basic ${basic(`erp:x:${key}`)}`, false],
    ['Basic without a colon', `Basic ${basic(key)}`, false],
    ['Basic that is not base64', 'Basic ä:ö', false],
    ['Basic with a user name that is too long', `Basic ${basic(`${'x'.repeat(1000)}:${key}`)}`, false],
  ]
  for (const [what, header, isFound] of cases) {
    it(`is ${isFound ? '' : 'not '}found in ${what}`, () =>
      assert.equal(keyOfAuthorization(header), isFound ? key : undefined))
  }

  it('is not taken from Basic where only Bearer is accepted', () => {
    assert.equal(bearerKey(`Basic ${basic(`erp:${key}`)}`), undefined)
    assert.equal(bearerKey(`Bearer ${key}`), key)
  })
})
