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
  const tables = tablesOf(placed)
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
      ...orderBy.flatMap(({ column, descending }): readonly OrderKey[] =>
        orderedBy(scope.column(column)).map((value) => ({ value, direction: descending ? 'desc' : 'asc' })),
      ),
      // The row number is the default order; the date before it names the index that has this order.
      { value: `f.${identifier(orderDate(placed.stored))}`, direction: 'asc' },
      { value: 'f.ordinal', direction: 'asc' },
    ],
    records: recordSource(plan, placed, { client, tables }),
  }
}

/** Texts are ordered without letter case first. */
const orderedBy = ({ type, value, folded }: SqlColumn): readonly string[] =>
  type === 'text' ? [folded, value] : [value]

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

/** Selections of the same data follow one another, and their names take as long to build as the rest of a selection. */
const tablesOfData = new WeakMap<PlacedData, RecordTables>()

function tablesOf(placed: PlacedData): RecordTables {
  const known = tablesOfData.get(placed)
  if (known !== undefined) return known
  const tables = recordTables(placed.stored, placed.generation)
  tablesOfData.set(placed, tables)
  return tables
}

type Columns = ReadonlyMap<string, SqlColumn>

export const columnsIn = (alias: string, fields: readonly Field[]): Columns =>
  new Map(fields.map((field) => [field.name, fieldColumn(alias, field)]))

/** What selections of a dataset have in common. */
type Vocabulary = {
  readonly columns: Columns
  /** The columns of elements, by the name of their collection. */
  readonly elements: ReadonlyMap<string, Columns>
  readonly keyed: ReadonlySet<string>
  readonly searched: ReadonlySet<string>
}

const vocabularies = new Map<DatasetName, Vocabulary>()

function vocabularyOf(name: DatasetName): Vocabulary {
  const known = vocabularies.get(name)
  if (known !== undefined) return known
  const dataset = datasetsByName[name]
  const vocabulary = {
    columns: columnsIn('f', namedFields(dataset)),
    elements: new Map(
      searchedCollections(dataset).map((each) => [each.name, columnsIn('e', namedFields(each))]),
    ),
    keyed: new Set(keyedTexts(dataset.stored)),
    searched: new Set(indexedFields[dataset.stored].searched),
  }
  vocabularies.set(name, vocabulary)
  return vocabulary
}

type Parts = Pick<Selection, 'parameters' | 'client' | 'tables'>

export function recordScope(dataset: DatasetName, { clientNumber, labels }: PlacedData, parts: Parts): Scope {
  const { columns, elements, keyed, searched } = vocabularyOf(dataset)
  const column = (ref: ColumnRef): SqlColumn => {
    if (ref.kind === 'field') return columnNamed(ref, columns, dataset)
    const position = labels.indexOf(ref.label)
    if (position === -1) throw unknownColumn(ref, dataset)
    return labelColumnSql('f', position, labelColumn(position))
  }
  return {
    parameters: parts.parameters,
    column,
    any: (name, condition) => {
      const table = parts.tables.additional.get(name) ?? parts.tables.elements
      const found = elements.get(name)
      if (found === undefined || table === null) throw new Error(`${dataset} have no ${name}`)
      const scope = elementScope(dataset, found, parts.parameters)
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
export function elementScope(dataset: DatasetName, columns: Columns, parameters: Parameters): Scope {
  return {
    parameters,
    column: (ref) => {
      if (ref.kind === 'custom') throw unknownColumn(ref, dataset)
      return columnNamed(ref, columns, dataset)
    },
    any: () => 'false',
    keys: null,
  }
}

function columnNamed(
  ref: Extract<ColumnRef, { kind: 'field' }>,
  columns: Columns,
  of: DatasetName,
): SqlColumn {
  const column = columns.get(ref.name)
  if (column === undefined) throw unknownColumn(ref, of)
  return column
}

/** Binding has refused such names: a plan that has one is a defect. */
const unknownColumn = (column: ColumnRef, dataset: DatasetName): Error =>
  new Error(`The records of ${dataset} have no ${describeColumn(column)}`)
