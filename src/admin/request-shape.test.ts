import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { nullable } from '../schema/shapes.ts'
import { requestShape } from './request-shape.ts'
import { validBody } from './validate.ts'

const Draft = Type.Object({
  name: Type.String(),
  note: nullable(Type.String({ maxLength: 5 })),
  active: Type.Boolean({ default: true }),
  tags: Type.Array(Type.String(), { default: [] }),
})

describe('the shape of a body as it may be sent', () => {
  it('completes what has a default with it, and what may be null with null', () => {
    assert.deepEqual(validBody(requestShape(Draft), { name: 'A' }), {
      name: 'A',
      note: null,
      active: true,
      tags: [],
    })
  })

  it('keeps what is sent', () => {
    const whole = { name: 'A', note: 'B', active: false, tags: ['C'] }
    assert.deepEqual(validBody(requestShape(Draft), whole), whole)
  })

  it('tells in the document which members may be left out', () => {
    const { required } = JSON.parse(JSON.stringify(requestShape(Draft)))
    assert.deepEqual(required, ['name'])
  })

  for (const body of [
    {},
    { name: 'A', note: 'too long' },
    { name: 'A', note: 1 },
    { name: 'A', active: null },
    { name: 'A', other: 1 },
    { name: null },
  ]) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      assert.throws(() => validBody(requestShape(Draft), body), { code: 'ADM105' })
    })
  }

  it('gives nobody the default of somebody else', () => {
    const first = validBody(requestShape(Draft), { name: 'A' })
    first.tags.push('mine')
    assert.deepEqual(validBody(requestShape(Draft), { name: 'B' }).tags, [])
  })
})
