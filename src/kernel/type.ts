/**
 * Builds the schemas of shapes: the part of TypeBox's `Type` that shapes use, with its types. Every thread and most commands
 * need shapes but validate nothing, and TypeBox loads 500 files to build one. `type.test.ts` shows that both build the same.
 *
 * As in TypeBox, what is not JSON Schema (`~kind`, `~optional`) stands in members that are not enumerable.
 */
import type * as TypeBox from 'typebox'

type Schema = Readonly<Record<string, unknown>>

type Builder = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Omit'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
>

const builder = {
  Array: (items: Schema, options?: Schema) => make('Array', { type: 'array', items }, options),
  Boolean: (options?: Schema) => make('Boolean', { type: 'boolean' }, options),
  Enum: (words: readonly unknown[], options?: Schema) => make('Enum', { enum: words }, options),
  Integer: (options?: Schema) => make('Integer', { type: 'integer' }, options),
  Literal: (value: unknown, options?: Schema) =>
    make('Literal', { type: typeof value, const: value }, options),
  Null: (options?: Schema) => make('Null', { type: 'null' }, options),
  Number: (options?: Schema) => make('Number', { type: 'number' }, options),
  Object: object,
  Omit: (shape: { readonly properties: Properties }, names: readonly string[], options?: Schema) =>
    object(
      Object.fromEntries(Object.entries(shape.properties).filter(([name]) => !names.includes(name))),
      options,
    ),
  Optional: (schema: Schema) => hide(copy(schema), '~optional', true),
  /** The keys are any texts. */
  Record: (_key: Schema, value: Schema, options?: Schema) =>
    make('Record', { type: 'object', patternProperties: { '^.*$': value } }, options),
  String: (options?: Schema) => make('String', { type: 'string' }, options),
  Union: (anyOf: readonly Schema[], options?: Schema) => make('Union', { anyOf }, options),
  Unknown: (options?: Schema) => make('Unknown', {}, options),
}

type Properties = Readonly<Record<string, Schema>>

function object(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter(
    (name) => !Object.hasOwn(properties[name] ?? {}, '~optional'),
  )
  const keywords = required.length === 0 ? { properties } : { required, properties }
  return make('Object', { type: 'object', ...keywords }, options)
}

const make = (kind: keyof Builder, keywords: Schema, options?: Schema): Schema =>
  hide({ ...keywords, ...options }, '~kind', kind)

const copy = (schema: Schema): Schema => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))

const hide = (schema: Schema, name: string, value: unknown): Schema =>
  Object.defineProperty(schema, name, { configurable: true, writable: true, enumerable: false, value })

const Type = builder as unknown as Builder
export default Type
