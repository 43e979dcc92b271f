/** Keywords for objects. */
import { jsonNumber } from '../../../values/json-write.ts'
import { ScriptArray, ScriptObject } from '../../../values/value.ts'
import { type ArgumentReader, each, eachPattern, schema, size, texts } from '../arguments.ts'
import { evaluate, evaluateChild, evaluateInPlace, fail } from '../evaluate.ts'
import { forKind, type Keyword, keyword } from '../keyword.ts'
import type { Frame, Schema } from '../schema.ts'

const properties = forKind('Object', 'properties', each(schema), (frame, object, given) => {
  frame.context.work(Math.ceil(given.length / 10))
  for (const [key, member] of given) {
    const place = object.placeOf(key)
    if (place < 0) continue
    frame.evaluated?.properties.add(key)
    evaluateChild(frame, member, key, object.slots[place]!)
  }
})

const patternProperties = forKind('Object', 'patternProperties', eachPattern, (frame, object, given) => {
  for (const [matches, member] of given) {
    for (const [key, value] of object.entries()) {
      if (!matches(key)) continue
      frame.evaluated?.properties.add(key)
      evaluateChild(frame, member, key, value)
    }
  }
})

const additionalProperties = keyword('additionalProperties', (argument, reading) => {
  const given = schema(argument, reading)
  const named = reading.sibling('properties')
  const known = new Set(named instanceof ScriptObject ? named.keys : [])
  const patterned = reading.sibling('patternProperties')
  const patterns = patterned instanceof ScriptObject ? eachPattern(patterned, reading) : []
  return (frame) => {
    if (!(frame.value instanceof ScriptObject)) return
    frame.context.work(Math.ceil(frame.value.size / 10))
    for (const [key, value] of frame.value.entries()) {
      if (known.has(key) || patterns.some(([matches]) => matches(key))) continue
      evaluateChild(frame, given, key, value)
    }
    if (frame.evaluated !== null) frame.evaluated.allProperties = true
  }
})

const propertyNames = forKind(
  'Object',
  'propertyNames',
  schema,
  (frame, object, given) => {
    for (const [key] of object.entries()) {
      if (evaluate(given, key, frame.path, frame, false).valid) continue
      fail(frame, 'propertyNames', `The property name ${JSON.stringify(key)} is not allowed`)
    }
  },
  { since: 6 },
)

const required = forKind('Object', 'required', texts, (frame, object, names) => {
  const missing = missingIn(frame, object, names)
  if (missing !== null) fail(frame, 'required', `Required properties are missing: ${missing}`)
})

/** The missing names as text; null if there are none. */
function missingIn(frame: Frame, object: ScriptObject, names: readonly string[]): string | null {
  frame.context.work(Math.ceil(names.length / 10))
  const missing = names.filter((name) => !object.has(name))
  return missing.length === 0 ? null : missing.map((name) => JSON.stringify(name)).join(', ')
}

const maxProperties = forKind('Object', 'maxProperties', size, (frame, object, limit) => {
  if (object.size <= limit) return
  fail(frame, 'maxProperties', `${object.size} properties are more than the maximum of ${jsonNumber(limit)}`)
})

const minProperties = forKind('Object', 'minProperties', size, (frame, object, limit) => {
  if (object.size >= limit) return
  fail(frame, 'minProperties', `${object.size} properties are less than the minimum of ${jsonNumber(limit)}`)
})

/** Names that a property requires, or a schema. */
type Dependency = { readonly names: readonly string[] } | { readonly schema: Schema }

const namesThere: ArgumentReader<Dependency> = (value, reading) => ({ names: texts(value, reading) })

const schemaThere: ArgumentReader<Dependency> = (value, reading) => ({ schema: schema(value, reading) })

const eitherThere: ArgumentReader<Dependency> = (value, reading) =>
  (value instanceof ScriptArray ? namesThere : schemaThere)(value, reading)

const dependency = (name: string, reader: ArgumentReader<Dependency>, since: 4 | 2019): Keyword =>
  forKind(
    'Object',
    name,
    each(reader),
    (frame, object, given) => {
      frame.context.work(Math.ceil(given.length / 10))
      for (const [key, there] of given) {
        if (!object.has(key)) continue
        if ('schema' in there) {
          evaluateInPlace(frame, there.schema)
          continue
        }
        const missing = missingIn(frame, object, there.names)
        if (missing !== null)
          fail(frame, name, `Properties that ${JSON.stringify(key)} requires are missing: ${missing}`)
      }
    },
    { since },
  )

const unevaluatedProperties = keyword(
  'unevaluatedProperties',
  (argument, reading) => {
    const given = schema(argument, reading)
    return (frame) => {
      const { value, evaluated, valid } = frame
      // It is unknown what a schema that did not match has evaluated.
      if (!(value instanceof ScriptObject) || evaluated === null || evaluated.allProperties || !valid) return
      for (const [key, member] of value.entries()) {
        if (!evaluated.properties.has(key)) evaluateChild(frame, given, key, member)
      }
      evaluated.allProperties = true
    }
  },
  { since: 2019 },
)

export const objectKeywords: readonly Keyword[] = [
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  required,
  maxProperties,
  minProperties,
  dependency('dependentRequired', namesThere, 2019),
  dependency('dependentSchemas', schemaThere, 2019),
  // Newer drafts no longer define this, but still allow it.
  dependency('dependencies', eitherThere, 4),
  unevaluatedProperties,
]
