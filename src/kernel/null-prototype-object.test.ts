import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nullPrototypeObject } from './null-prototype-object.ts'

describe('nullPrototypeObject', () => {
  it('has only the members that it is given, whatever their names', () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'a', '0', '']
    const bare = nullPrototypeObject<string>()
    for (const name of names) {
      assert.equal(bare[name], undefined, name)
      bare[name] = `of ${name}`
    }
    assert.deepEqual(Object.keys(bare).sort(), [...names].sort())
    assert.deepEqual(
      names.map((name) => structuredClone(bare)[name]),
      names.map((name) => `of ${name}`),
    )
  })

  it('shares no members with other objects', () => {
    nullPrototypeObject<string>().a = 'x'
    const fresh = nullPrototypeObject<string>()
    assert.deepEqual([fresh.a, Object.keys(fresh)], [undefined, []])
    assert.equal(({} as { a?: string }).a, undefined)
    assert.throws(() => Object.assign(Object.getPrototypeOf(fresh), { a: 'x' }), TypeError)
  })
})
