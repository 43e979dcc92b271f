import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { fieldsOf, toSnakeCase } from './field.ts'

describe('fieldsOf', () => {
  it('reads each JSON Schema type as a storage type', () => {
    const shape = Type.Object({
      code: Type.String({ maxLength: 6 }),
      note: Type.String(),
      day: Type.String({ format: 'date' }),
      at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$' }),
      done: Type.Boolean(),
      position: Type.Integer(),
      amount: Type.Number(),
    })
    assert.deepEqual(
      fieldsOf(shape).map(({ name, type, maxLength }) => [name, type, maxLength]),
      [
        ['code', 'text', 6],
        ['note', 'text', undefined],
        ['day', 'date', undefined],
        ['at', 'minute', undefined],
        ['done', 'boolean', undefined],
        ['position', 'integer', undefined],
        ['amount', 'decimal', undefined],
      ],
    )
    assert.ok(fieldsOf(shape).every((field) => !field.nullable))
  })

  it('reads a union with null as a nullable field of the other type', () => {
    const shape = Type.Object({ code: Type.Union([Type.String({ maxLength: 3 }), Type.Null()]) })
    assert.deepEqual(fieldsOf(shape), [{ name: 'code', type: 'text', nullable: true, maxLength: 3 }])
  })

  it('leaves out arrays, objects and records', () => {
    const shape = Type.Object({
      lines: Type.Array(Type.Object({ position: Type.Integer() })),
      labels: Type.Record(Type.String(), Type.String()),
      nested: Type.Object({ name: Type.String() }),
      name: Type.String(),
    })
    assert.deepEqual(
      fieldsOf(shape).map(({ name }) => name),
      ['name'],
    )
  })
})

describe('toSnakeCase', () => {
  const rows: readonly (readonly [name: string, column: string])[] = [
    ['company', 'company'],
    ['recordLocator', 'record_locator'],
    ['lineAmountIncGst', 'line_amount_inc_gst'],
    ['customData1', 'custom_data1'],
  ]
  for (const [name, column] of rows) {
    it(`writes ${name} as ${column}`, () => assert.equal(toSnakeCase(name), column))
  }
})
