import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { moveInTree, visibleRows } from './tree-rows.ts'

const node = (id: string, parentId: string | null) => ({ id, parentId })
const children = new Map([
  [null, [node('a', null), node('b', null)]],
  ['a', [node('a1', 'a'), node('a2', 'a')]],
  ['a1', [node('a1x', 'a1')]],
])

describe('visibleRows', () => {
  it('shows the children of what is open, depth first', () => {
    const show = (...open: string[]) =>
      visibleRows(children, new Set(open)).map((row) => `${row.level} ${row.node.id}`)
    assert.deepEqual(show(), ['1 a', '1 b'])
    assert.deepEqual(show('a', 'a1'), ['1 a', '2 a1', '3 a1x', '2 a2', '1 b'])
    assert.deepEqual(show('a1'), ['1 a', '1 b'])
  })
})

describe('moveInTree', () => {
  const open = new Set(['a'])
  const rows = visibleRows(children, open)
  for (const [key, index, expected] of [
    ['ArrowDown', 0, { focus: 1 }],
    ['ArrowDown', 3, { focus: 3 }],
    ['ArrowUp', 0, { focus: 0 }],
    ['Home', 3, { focus: 0 }],
    ['End', 0, { focus: 3 }],
    ['ArrowRight', 0, { focus: 1 }],
    ['ArrowRight', 1, { open: 'a1' }],
    ['ArrowLeft', 0, { close: 'a' }],
    ['ArrowLeft', 2, { focus: 0 }],
    ['ArrowLeft', 3, { focus: 0 }],
    ['x', 0, undefined],
  ] as const) {
    it(`answers ${key} on row ${index}`, () => {
      assert.deepEqual(moveInTree(key, rows, index, open), expected)
    })
  }
})
