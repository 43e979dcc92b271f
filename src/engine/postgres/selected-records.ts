/**
 * Reads records with selected members from the columns of the tables: neither their finished JSON nor the columns of other members
 * leave the server. A record comes as a JSON array of its values, in the order of `RecordRow`, so that a batch is one text that is
 * parsed at once. The values in it are those of the tables; our writers turn them into the text of the answer.
 */
import { identifier } from '../../postgres/sql-names.ts'
import type { FieldValue } from '../../schema/field.ts'
import { labelForms } from '../../snapshot/postgres/record-columns.ts'
import type { RecordTables } from '../../snapshot/postgres/record-tables.ts'
import type { RecordKind, RecordRow } from '../engine.ts'
import { partsOf, type RecordParts } from '../record-members.ts'
import { SEPARATOR_TEXT } from './batches.ts'

type Kind = Pick<RecordKind, 'dataset' | 'labels' | 'shape'>

/**
 * SQL of a record as JSON array. The alias `r` is a row of the table of fields.
 *
 * @param client the parameter with the number of the client
 */
export function selectedValues(of: Kind, tables: RecordTables, client: string): string {
  const { fields, labels, collections } = partsOf(of)
  const lists = collections.map(({ name, fields: own }) => {
    const table = tables.additional.get(name) ?? tables.elements
    if (table === null) throw new Error(`The records of ${of.dataset} have no ${name}`)
    const element = arrayOf(own.map((field) => `e.${identifier(field.name)}`))
    return `(select coalesce(json_agg(${element} order by e.position), '[]') from ${table} e where e.client_number = ${client} and e.ordinal = r.ordinal)`
  })
  const values = [...fields.map((field) => `r.${identifier(field.name)}`), labelsOf(of, labels), ...lists]
  return `${arrayOf(values)}::text`
}

/** A function takes at most 100 arguments. */
const MOST_ARGUMENTS = 100

function arrayOf(values: readonly string[]): string {
  if (values.length > MOST_ARGUMENTS) throw new Error(`A record has more than ${MOST_ARGUMENTS} members`)
  return `json_build_array(${values.join(', ')})`
}

/** The labels of a client are an array, by the position of the label. */
function labelsOf({ labels, shape }: Kind, selected: readonly string[]): string {
  const all = `r.${identifier(labelForms.itself)}`
  if (shape === null || shape.labels === 'all') return all
  const positions = new Map(labels.map((label, position) => [label, position]))
  const chosen = selected.map((label) => `${all}[${(positions.get(label) ?? 0) + 1}]`)
  return `array[${chosen.join(', ')}]::text[]`
}

/** The rows of a batch: the arrays of records, with separators between them. */
export function selectedRows(of: Kind, records: Buffer): readonly RecordRow[] {
  const parts = partsOf(of)
  const arrays = records.toString().replaceAll(SEPARATOR_TEXT, ',')
  return (JSON.parse(`[${arrays}]`) as readonly Values[]).map((values) => rowOf(values, parts))
}

type Elements = readonly (readonly FieldValue[])[]
type Values = readonly (FieldValue | readonly (string | null)[] | Elements)[]

function rowOf(values: Values, { fields }: RecordParts): RecordRow {
  const [custom, ...collections] = values.slice(fields.length)
  return {
    values: values.slice(0, fields.length) as readonly FieldValue[],
    // A record without any value has no array of labels.
    custom: (custom ?? []) as readonly (string | null)[],
    collections: collections as readonly Elements[],
    lists: [],
  }
}
