/** Each filter of the workloads has a translation to SQL, and no other filter has one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  freshAny,
  freshContains,
  freshEquality,
  freshFilterAndSort,
  freshLabelEquality,
  freshPage,
  freshTextFunctions,
} from '../questions.ts'
import { conditionOf, orderOf } from './filters.ts'

const words = { agencies: ["O'Hara (Sons)"], label: "Manager's [id]", labelValues: ['ÉT'] }

const filterOf = (path: string): string => new URL(path, 'http://bench').searchParams.get('$filter') ?? ''

describe('the filters of the peers', () => {
  for (const question of [
    freshFilterAndSort,
    freshEquality(words),
    freshLabelEquality(words),
    freshContains,
    freshAny,
    freshPage(1),
  ]) {
    it(`know the form of ${filterOf(question())}`, () => {
      const { sql, parameters } = conditionOf(filterOf(question()))
      const places = new Set(sql.match(/\$\d+/g))
      places.delete('$1')
      assert.equal(places.size, parameters.length)
    })
  }

  it('unquote and fold literals, but keep moments unchanged', () => {
    assert.deepEqual(conditionOf(filterOf(freshEquality(words)())).parameters[0], "o'hara (sons)")
    assert.deepEqual(conditionOf(filterOf(freshLabelEquality(words)())).parameters.slice(0, 2), [
      "manager's [id]",
      'ét',
    ])
    assert.match(conditionOf(filterOf(freshPage(1)())).parameters[0] ?? '', /^2020-01-01T/)
  })

  it('refuse filters and orders that no workload uses', () => {
    assert.throws(() => conditionOf(filterOf(freshTextFunctions())), /Expected a filter of a workload/)
    assert.throws(() => orderOf('dueDate'), /Expected an order of a workload/)
  })
})
