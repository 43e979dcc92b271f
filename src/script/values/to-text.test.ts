/** The texts that `+` and text parameters make from values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails, given, lambdaOf } from '../testing/context.ts'
import { toText } from './to-text.ts'
import { ScriptArray, type Value } from './value.ts'

describe('toText', () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [null, 'null'],
    [true, 'true'],
    [false, 'false'],
    [1e17, '1E+17'],
    ['a "b"', 'a "b"'],
    [[], '[]'],
    [[1, 'x', null, [true]], '[1, x, null, [true]]'],
    [{}, '{}'],
    [{ k: 'v', 'k 2': { '': [] } }, '{k: v, k 2: {: []}}'],
    [lambdaOf(() => null), '<function>'],
    [[lambdaOf(() => null)], '[<function>]'],
  ]
  for (const [value, text] of rows) {
    it(`writes ${text}`, () => assert.equal(toText(given(value)), text))
  }

  const nested = (levels: number): Value => {
    let value = given([])
    for (let level = 1; level < levels; level++) value = new ScriptArray([value])
    return value
  }

  it('writes a thousand levels and refuses more', () => {
    assert.equal(toText(nested(1000)).length, 2000)
    fails('JM5002', () => toText(nested(1001)))
  })

  it('refuses a value that contains itself', () => {
    const array = new ScriptArray([])
    array.items.push(array)
    fails('JM5002', () => toText(array))
  })

  it('refuses a text that shared parts would make too long, before it is made', () => {
    let value: Value = 'some text'
    for (let level = 0; level < 60; level++) value = new ScriptArray([value, value])
    fails('JM5910', () => toText(value))
  })

  it('counts values and long texts while it writes', () => {
    let counted = 0
    const work = (units: number) => {
      counted += units
    }
    toText(given([1, 2, 'x'.repeat(1000)]), work)
    assert.equal(counted, 13)
    let value: Value = ''
    for (let level = 0; level < 60; level++) value = new ScriptArray([value, value])
    const limited = () =>
      toText(value, (units) => {
        counted += units
        if (counted > 10_000) throw new Error('enough')
      })
    assert.throws(limited, { message: 'enough' })
  })
})
