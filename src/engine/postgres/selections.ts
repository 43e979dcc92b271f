/**
 * What a plan selects, as parts of SQL statements: the condition, and the order. The client's number is the first parameter of
 * every statement, and a condition on every table, so that each statement concerns one client, and on Citus one shard.
 */
import { identifier } from '../../postgres/sql-names.ts'
import type { ColumnRef, Predicate, QueryPlan } from '../../query/plan/plan-nodes.ts'
import { type DatasetName, datasetsByName, namedFields, searchedCollections } from '../../schema/datasets.ts'
import type { Field } from '../../schema/field.ts'
import { labelColumn } from '../../snapshot/postgres/index-keys.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { indexedFields, keyedTexts, orderDate } from '../../snapshot/postgres/record-indexes.ts'
import { type RecordTables, recordTables } from '../../snapshot/postgres/record-tables.ts'
import { conditionOf, type Scope } from './conditions.ts'
import { Parameters } from './parameters.ts'
import { selectedValues } from './selected-records.ts'
import { describeColumn, fieldColumn, labelColumnSql, type SqlColumn } from './stored-columns.ts'

export type Selection = {
  readonly parameters: Parameters
  /** The parameter with the client's number. */
  readonly client: string
  readonly tables: RecordTables
  /** `from` and `where` of the selected rows of the table of fields, whose alias is `f`. */
  readonly rows: string
  /** The values by which the rows are ordered, each with its direction. The last is the row number. */
  readonly order: readonly OrderKey[]
  /** Whether the filter looks into elements. */
  readonly looksIntoElements: boolean
  readonly records: RecordSource
}

/** Where the records of a selection are read from. */
export type RecordSource = {
  /** The table, whose alias is `r`. */
  readonly table: string
  /** SQL of a record's text, which is JSON or the beginning of it. */
  readonly text: string
}

type OrderKey = { readonly value: string; readonly direction: 'asc' | 'desc' }

export function selectionOf(plan: QueryPlan, placed: PlacedData): Selection {
  const parameters = new Parameters()
  const client = parameters.add(placed.clientNumber, 'text')
  const tables = recordTables(placed.stored, placed.generation)
  const scope = recordScope(plan.dataset, placed, { parameters, client, tables })
  const { where, orderBy } = plan
  const condition = where === null ? '' : ` and ${conditionOf(where, scope)}`
  return {
    parameters,
    client,
    tables,
    looksIntoElements: where !== null && looksIntoElements(where),
    rows: `from ${tables.fields} f where f.client_number = ${client}${condition}`,
    order: [
      ...orderBy.map(
        ({ column, descending }): OrderKey => ({
          value: scope.column(column).value,
          direction: descending ? 'desc' : 'asc',
        }),
      ),
      // The row number is the default order; the date before it names the index that has this order.
      { value: `f.${identifier(orderDate(placed.stored))}`, direction: 'asc' },
      { value: 'f.ordinal', direction: 'asc' },
    ],
    records: recordSource(plan, placed, { client, tables }),
  }
}

/** Finished JSON without its closing brace, or the selected values as a JSON array. */
function recordSource(
  { dataset, select: shape }: QueryPlan,
  { labels }: PlacedData,
  { client, tables }: Pick<Selection, 'client' | 'tables'>,
): RecordSource {
  if (shape !== null) {
    const text = selectedValues({ dataset, labels, shape }, tables, client)
    return { table: tables.fields, text }
  }
  const isFront = dataset === 'bookings' || dataset === 'bookings-v1'
  return { table: tables.records, text: isFront ? 'r.front' : 'r.front || r.rest' }
}

type Parts = Pick<Selection, 'parameters' | 'client' | 'tables'>

export function recordScope(
  dataset: DatasetName,
  { clientNumber, stored, labels }: PlacedData,
  parts: Parts,
): Scope {
  const fields = namedFields(datasetsByName[dataset])
  const collections = searchedCollections(datasetsByName[dataset])
  const [keyed, searched] = [new Set(keyedTexts(stored)), new Set(indexedFields[stored].searched)]
  const column = (ref: ColumnRef): SqlColumn => {
    if (ref.kind === 'field') return fieldColumn('f', fieldNamed(ref, fields, dataset))
    const position = labels.indexOf(ref.label)
    if (position === -1) throw unknownColumn(ref, dataset)
    return labelColumnSql('f', position, labelColumn(position))
  }
  return {
    parameters: parts.parameters,
    column,
    any: (name, condition) => {
      const collection = collections.find((each) => each.name === name)
      const table = parts.tables.additional.get(name) ?? parts.tables.elements
      if (collection === undefined || table === null) throw new Error(`${dataset} have no ${name}`)
      const scope = elementScope(dataset, namedFields(collection), parts.parameters)
      const where = condition === null ? '' : ` and ${conditionOf(condition, scope)}`
      return `f.ordinal in (select e.ordinal from ${table} e where e.client_number = ${parts.client}${where})`
    },
    keys: {
      column: 'f.keys',
      clientNumber,
      hasTexts: (name) => name.startsWith('#') || keyed.has(name),
      hasSequences: (name) => searched.has(name),
    },
  }
}

function looksIntoElements(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.operands.some(looksIntoElements)
  return predicate.kind === 'not' ? looksIntoElements(predicate.operand) : predicate.kind === 'any'
}

/** Elements have neither labels nor elements of their own. */
export function elementScope(dataset: DatasetName, fields: readonly Field[], parameters: Parameters): Scope {
  return {
    parameters,
    column: (ref) => {
      if (ref.kind === 'custom') throw unknownColumn(ref, dataset)
      return fieldColumn('e', fieldNamed(ref, fields, dataset))
    },
    any: () => 'false',
    keys: null,
  }
}

function fieldNamed(
  ref: Extract<ColumnRef, { kind: 'field' }>,
  fields: readonly Field[],
  of: DatasetName,
): Field {
  const field = fields.find(({ name }) => name === ref.name)
  if (field === undefined) throw unknownColumn(ref, of)
  return field
}

/** Binding has refused such names: a plan that has one is a defect. */
const unknownColumn = (column: ColumnRef, dataset: DatasetName): Error =>
  new Error(`The records of ${dataset} have no ${describeColumn(column)}`)
