import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isStillGood } from './preconditions.ts'

describe('If-None-Match', () => {
  const cases: readonly (readonly [header: string | undefined, isGood: boolean, why: string])[] = [
    [undefined, false, 'is not there'],
    ['"abc"', true, 'names the tag'],
    ['W/"abc"', true, 'names it weakened by a proxy'],
    ['"x", "abc"', true, 'lists it'],
    ['"x","y",W/"abc"', true, 'lists it without spaces'],
    [' * ', true, 'accepts any'],
    ['"a,b", "abc"', true, 'lists it after a tag with a comma'],
    ['"abcd"', false, 'names a longer tag'],
    ['"ABC"', false, 'names it in another case'],
    ['abc', false, 'forgets the quotes'],
    ['"*"', false, 'names a star as a tag'],
    ['', false, 'is empty'],
    ['"', false, 'is broken'],
  ]
  for (const [header, isGood, why] of cases) {
    it(`${isGood ? 'keeps' : 'renews'} the copy when it ${why}: ${header}`, () => {
      assert.equal(isStillGood(header, '"abc"'), isGood)
      assert.equal(isStillGood(header, 'W/"abc"'), isGood)
    })
  }
})
