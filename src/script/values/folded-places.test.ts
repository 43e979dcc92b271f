import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Shape } from './shape.ts'
import { ScriptObject } from './value.ts'

const fromHost = (): ScriptObject => new ScriptObject(Shape.root({ foldsNames: true }), [])

/** What {@link ScriptObject.read} has to return, from the entries alone. */
function expected(object: ScriptObject, name: string): unknown {
  const entries = [...object.entries()]
  const exact = entries.find(([key]) => key === name)
  if (exact !== undefined) return exact[1]
  const alike = entries.filter(([key]) => key.toLowerCase() === name.toLowerCase())
  return alike.length === 1 ? alike[0]![1] : null
}

const names = ['a', 'A', 'Ab', 'aB', 'AB', 'ab', 'é', 'É', 'x', 'X', ...Array.from('bcdefgh')]

describe('members of objects of the host', () => {
  it('are found by their exact name, or by the only name that differs in letter case', () => {
    const change = fc.record({ name: fc.constantFrom(...names), removes: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const object = fromHost()
        for (const [number, { name, removes }] of changes.entries()) {
          if (removes) object.delete(name)
          else object.set(name, number)
          for (const wanted of names) assert.equal(object.read(wanted), expected(object, wanted))
        }
      }),
    )
  })

  it('are found in any letter case among up to 1000 of at most 64 characters', () => {
    const object = fromHost()
    const longest = 'n'.repeat(64)
    object.set(longest, 'longest')
    object.set(`${longest}n`, 'longer')
    assert.equal(object.read(longest.toUpperCase()), 'longest')
    assert.equal(object.read(`${longest}N`), null)
    assert.equal(object.read(`${longest}n`), 'longer')
    for (let i = object.size; i < 1000; i++) object.set(`k${i}`, i)
    assert.equal(object.read('K999'), 999)
    object.set('k1000', 1000)
    assert.equal(object.read('K999'), null)
    assert.equal(object.read('k999'), 999)
  })

  it('are found by their exact name only in objects of a script', () => {
    const object = new ScriptObject(Shape.root(), [])
    object.set('name', 1)
    assert.deepEqual([object.read('name'), object.read('Name')], [1, null])
    object.delete('other')
    object.set('other', 2)
    object.delete('other')
    assert.deepEqual([object.shape, object.read('Name')], [null, null])
  })
})
