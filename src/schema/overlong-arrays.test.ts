import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Value } from 'typebox/value'
import { overlongArrays } from '../kernel/overlong-arrays.ts'
import * as directory from './directory-shapes.ts'
import * as endpoints from './endpoint-shapes.ts'
import * as webhooks from './webhook-shapes.ts'

const ID = '00000000-0000-0000-0000-000000000000'

describe('an array that is too long', () => {
  it('is found in any depth, with the words of the validator', () => {
    const draft = { name: 'x', organizationIds: Array(51).fill(ID) }
    const [found] = overlongArrays(directory.PersonDraft, draft)
    const told = Value.Errors(directory.PersonDraft, draft).find(({ keyword }) => keyword === 'maxItems')
    assert.deepEqual(found, { path: told?.instancePath, message: told?.message })
    const nested = { cors: { origins: Array(51).fill('*') }, allowedHosts: Array(50).fill('a') }
    assert.deepEqual(
      overlongArrays(endpoints.EndpointDefinition, nested).map(({ path }) => path),
      ['/cors/origins'],
    )
    assert.deepEqual(overlongArrays(webhooks.WebhookDraft, { lists: ['bookings'], url: null }), [])
    for (const other of [null, 5, [], { organizationIds: null }, { organizationIds: { length: 1e9 } }])
      assert.deepEqual(overlongArrays(directory.PersonDraft, other), [])
  })

  it('can be told for each array whose elements are compared with each other', () => {
    let arrays = 0
    const look = (shape: unknown, place: string): void => {
      if (typeof shape !== 'object' || shape === null) return
      if ('uniqueItems' in shape) {
        arrays++
        assert.ok('maxItems' in shape && Number(shape.maxItems) <= 1000, place)
        // Where `overlongArrays` does not look.
        assert.doesNotMatch(place, /patternProperties|additionalProperties|allOf/)
      }
      for (const [name, inner] of Object.entries(shape)) look(inner, `${place}/${name}`)
    }
    for (const [name, shape] of Object.entries({ ...directory, ...endpoints, ...webhooks })) look(shape, name)
    assert.ok(arrays > 6)
  })
})
