import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterNames, filterOf, presets } from './execution-queries.ts'

describe('filterOf', () => {
  it('takes the filters of an address and nothing else', () => {
    assert.deepEqual(filterOf({ status: 'Failed', version: '3', sort: '-startedAt', other: 'x' }), {
      status: 'Failed',
      version: 3,
    })
  })

  it('leaves what is no number for the API to refuse', () => {
    assert.deepEqual(filterOf({ minExecutionTimeMs: 'fast' }), { minExecutionTimeMs: 'fast' })
  })
})

describe('presets', () => {
  it('are made of filters', () => {
    for (const [name, preset] of Object.entries(presets())) {
      for (const parameter of Object.keys(preset))
        assert.ok(filterNames.includes(parameter), `${name} ${parameter}`)
    }
  })
})
