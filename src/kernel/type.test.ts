import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import TypeBox, { type TSchema } from 'typebox'
import Type from './type.ts'

type Builder = typeof Type
type Build = (type: Builder) => TSchema

const options = fc.constantFrom(undefined, { description: 'a' }, { default: null, examples: [1] })
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'type'), { maxLength: 3 })

const { schema } = fc.letrec<{
  schema: Build
  leaf: Build
  properties: (type: Builder) => Record<string, TSchema>
}>((tie) => ({
  leaf: fc.tuple(fc.constantFrom('Boolean', 'Integer', 'Null', 'Number', 'String', 'Unknown'), options).map(
    ([name, given]): Build =>
      (type) =>
        type[name](given),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.tuple(tie('schema'), options).map(
      ([items, given]): Build =>
        (type) =>
          type.Array(items(type), given),
    ),
    fc.tuple(tie('schema'), options).map(
      ([value, given]): Build =>
        (type) =>
          type.Record(type.String(), value(type), given),
    ),
    fc.tuple(tie('schema'), options).map(
      ([one, given]): Build =>
        (type) =>
          type.Union([one(type), type.Null()], given),
    ),
    fc.tuple(fc.constantFrom('a', 1, true), options).map(
      ([value, given]): Build =>
        (type) =>
          type.Literal(value, given),
    ),
    options.map(
      (given): Build =>
        (type) =>
          type.Enum(['a', 'b'], given),
    ),
    tie('schema').map(
      (inner): Build =>
        (type) =>
          type.Optional(inner(type)),
    ),
    fc.tuple(tie('properties'), options).map(
      ([members, given]): Build =>
        (type) =>
          type.Object(members(type), given),
    ),
    fc.tuple(tie('properties'), names, options).map(
      ([members, omitted, given]): Build =>
        (type) =>
          type.Omit(type.Object(members(type)), omitted as never, given),
    ),
  ),
  properties: fc.tuple(names, fc.array(tie('schema'), { minLength: 3, maxLength: 3 })).map(
    ([given, schemas]) =>
      (type: Builder) =>
        Object.fromEntries(given.map((name, i) => [name, (schemas[i] as Build)(type)])),
  ),
}))

/** The members that are enumerable in their order, and the others. */
const described = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? {
        json: Object.entries(value).map(([name, member]) => [name, described(member)]),
        descriptors: Object.getOwnPropertyDescriptors(value),
      }
    : value

describe('Type', () => {
  it('builds what TypeBox builds', () => {
    fc.assert(
      fc.property(schema, (build) => {
        assert.deepEqual(described(build(Type)), described(build(TypeBox)))
      }),
    )
  })
})
