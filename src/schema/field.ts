/**
 * Derives fields from the shapes: each scalar member becomes a field with a storage type, a length limit and a nullability.
 * Refreshes validate by fields, snapshots lay out their columns by fields, and queries bind names to fields.
 */
import type { TObject, TSchema } from 'typebox'

/**
 * How a field is stored and compared. `date` is days and `minute` is minutes since 1970-01-01; `decimal` is an integer
 * scaled by 10^5.
 */
export type FieldType = 'text' | 'date' | 'minute' | 'boolean' | 'integer' | 'decimal'

export type Field = {
  /** Name in JSON and in filters, e.g. `recordLocator`. */
  readonly name: string
  readonly type: FieldType
  readonly nullable: boolean
  /** Most Unicode code points of a text; undefined for other types. */
  readonly maxLength: number | undefined
}

/** A field with such a name is a time in UTC. All other times are local times of the record, which have no offset. */
export const isUtc = (name: string): boolean => name.endsWith('Utc')

/** A value as stored: text, a day, a minute, a scaled amount, a boolean, or null. */
export type FieldValue = string | number | boolean | null

/** Null in arrays of days, minutes or integers. It lies before the minute 0000-01-01T00:00, so it cannot be a value. */
export const NULL_INTEGER = -0x80000000

/** The scalar members of an object shape, in their order. Arrays and the custom data fields are left out. */
export function fieldsOf(shape: TObject): readonly Field[] {
  return Object.entries(shape.properties).flatMap(([name, schema]) => {
    const field = toField(name, schema)
    return field === undefined ? [] : [field]
  })
}

/** `recordLocator` is `record_locator` in an extract. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The JSON Schema keywords that the shapes use. */
type Keywords = {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly maxLength?: number
  readonly anyOf?: readonly TSchema[]
}

function toField(name: string, schema: TSchema): Field | undefined {
  const { anyOf } = schema as Keywords
  const nullable = anyOf !== undefined
  const keywords = (anyOf?.[0] ?? schema) as Keywords
  const type = storageType(keywords)
  return type && { name, type, nullable, maxLength: keywords.maxLength }
}

function storageType({ type, format, pattern }: Keywords): FieldType | undefined {
  if (type === 'boolean' || type === 'integer') return type
  if (type === 'number') return 'decimal'
  if (type !== 'string') return undefined
  if (format === 'date') return 'date'
  return pattern === undefined ? 'text' : 'minute'
}
