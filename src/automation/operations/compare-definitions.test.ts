import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { spend } from '../testing/definitions.ts'
import { compareDefinitions } from './compare-definitions.ts'

const definition = (members: Partial<EndpointDefinition>): EndpointDefinition => ({
  ...spend,
  script: '',
  ...members,
})

const compare = (before: Partial<EndpointDefinition>, after: Partial<EndpointDefinition>) =>
  compareDefinitions(
    { title: 'version 3', definition: definition(before) },
    { title: 'draft', definition: definition(after) },
  )

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, line) => `${letter}${line}\n`).join('')

describe('a comparison of definitions', () => {
  it('shows the script line by line, with the lines around a change', () => {
    const { script } = compare({ script: 'a\nb\nc\nd\ne\n' }, { script: 'a\nb\nc\nd\nE\nf' })
    assert.equal(
      script,
      [
        ...['--- version 3', '+++ draft', '@@ -2,4 +2,5 @@', ' b', ' c', ' d', '-e', '+E', '+f'],
        '\\ No newline at end of file\n',
      ].join('\n'),
    )
  })

  it('is empty for equal scripts and members', () => {
    assert.deepEqual(compare({ script: 'a' }, { script: 'a' }), { script: '', changes: [] })
  })

  it('lists every other member that differs, with its values before and after', () => {
    const { changes } = compare(
      { name: 'Spend', limits: { loops: 3 } },
      { name: 'Spending', limits: { loops: 4 }, allowedRoles: [] },
    )
    assert.deepEqual(changes, [
      { path: '/name', before: 'Spend', after: 'Spending' },
      { path: '/limits', before: { loops: 3 }, after: { loops: 4 } },
    ])
  })

  for (const [name, before, after] of [
    ['both', numbered('a', 3000), `${numbered('b', 3000)}end`],
    ['none before', '', numbered('b', 3000)],
    ['none after', `${numbered('a', 3000)}end`, ''],
  ] as const) {
    it(`replaces long scripts as a whole when they have nothing in common: lines of ${name}`, () => {
      const { script } = compare({ script: before }, { script: after })
      assert.equal(applyPatch(before, script), after)
      assert.equal(script.match(/^@@ /gm)?.length, 1)
    })
  }

  it('is a patch that turns one script into the other, for any two scripts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '', ' ', '-', '+', '\\', '@@ -1 +1 @@', '\n'), {
      maxLength: 30,
    })
    const script = text.map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(script, script, (before, after) => {
        const patch = compare({ script: before }, { script: after }).script
        assert.equal(patch === '' ? before : applyPatch(before, patch), after)
      }),
    )
  })
})
