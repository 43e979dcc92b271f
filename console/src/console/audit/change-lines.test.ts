import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { diffLines, memberChanges } from './change-lines.ts'

describe('memberChanges', () => {
  for (const [what, before, after, expected] of [
    ['a member that changed', { name: 'a', kept: 1 }, { name: 'b', kept: 1 }, [['name', ['a'], ['b']]]],
    ['a member that came', null, { name: 'b' }, [['name', undefined, ['b']]]],
    ['a member that went', { name: 'a' }, null, [['name', ['a'], undefined]]],
    ['a text of several lines', { script: 'a\nb' }, { script: 'a\nc' }, [['script', ['a', 'b'], ['a', 'c']]]],
    ['objects as JSON', { limits: { x: 1 } }, { limits: {} }, [['limits', ['{', '  "x": 1', '}'], ['{}']]]],
    ['nothing', null, null, []],
    ['a null that became a value', { a: null }, { a: 1 }, [['a', [], ['1']]]],
    ['values without members', 'a', 'b', [['', ['a'], ['b']]]],
  ] as const) {
    it(`shows ${what}`, () => {
      const found = memberChanges(before, after).map((change) => [change.member, change.before, change.after])
      assert.deepEqual(found, expected)
    })
  }
})

describe('diffLines', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 })
  it('has all lines before in what stayed or went, and all lines after in what stayed or came', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after)
        const without = (kind: string) => diff.filter((line) => line.kind !== kind).map(({ text }) => text)
        assert.deepEqual(without('added'), before)
        assert.deepEqual(without('removed'), after)
      }),
    )
  })
})
