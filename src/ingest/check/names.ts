/**
 * Compares the names of an extract with those of a table. `RecordLocator`, `Record Locator` and `record-locator` are
 * `record_locator` in another spelling; the nearest of the others is only a guess.
 */
import { closest } from '../../kernel/closest.ts'
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { columnName } from '../sources/match-columns.ts'

export type ColumnMatch = {
  readonly column: ExtractColumn
  /** The name in the file, when it is that of the column in some letter case or spelling. */
  readonly name: string | null
  /** Whether a refresh finds the column by this name. */
  readonly found: boolean
  /** The nearest other name, for a required column without a name. */
  readonly nearest: string | null
}

export type MatchedColumns = {
  readonly columns: readonly ColumnMatch[]
  /** The names that belong to no column. */
  readonly ignored: readonly string[]
}

export function matchNames(
  table: string,
  columns: readonly ExtractColumn[],
  names: readonly string[],
): MatchedColumns {
  const left = new Set(names)
  const take = (wanted: (name: string) => boolean): string | null => {
    const name = [...left].find(wanted) ?? null
    if (name !== null) left.delete(name)
    return name
  }
  // Exact names first: a name must not be taken by a column whose spelling it only resembles.
  const exact = new Map(columns.map(({ column }) => [column, take((name) => columnName(name) === column)]))
  const spelled = new Map(
    columns.map(({ column }) => [
      column,
      exact.get(column) ?? take((name) => foldName(name) === foldName(column)),
    ]),
  )
  return {
    columns: columns.map((column) => {
      const name = spelled.get(column.column) ?? null
      const found = (exact.get(column.column) ?? null) !== null
      const nearest = name === null && column.required ? nearestName(table, column.column, left) : null
      return { column, name, found, nearest }
    }),
    ignored: [...left],
  }
}

/** Only letters and digits, in lower case. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '')

/** The words that warehouses shorten. */
const abbreviations: Readonly<Record<string, string>> = {
  amt: 'amount',
  desc: 'description',
  dt: 'date',
  inv: 'invoice',
  loc: 'locator',
  nbr: 'number',
  no: 'number',
  nr: 'number',
  num: 'number',
  pct: 'percent',
  qty: 'quantity',
  rec: 'record',
  seg: 'segment',
}

/** The name without separators and abbreviations: `InvNo` is `invoicenumber`. */
const spelledOut = (name: string): string =>
  name
    .replace(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{Nd}]+/u)
    .map((word) => abbreviations[word] ?? word)
    .join('')

function nearestName(table: string, column: string, names: Iterable<string>): string | null {
  // A name that looks like a value may be one: that of the first row of a file without a header.
  const candidates = new Map(
    [...names].filter((name) => !/\d{5}/.test(name)).map((name) => [spelledOut(name), name]),
  )
  const wanted = spelledOut(column)
  const ofTable = foldName(table).replace(/s$/, '') + wanted
  const near = candidates.has(ofTable) ? ofTable : closest(wanted, candidates.keys())
  return near === undefined ? null : (candidates.get(near) ?? null)
}
