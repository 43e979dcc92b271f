/** How a CSV file differs from RFC 4180. */
export type CsvDialect = {
  /** Where a backslash is an escape: PostgreSQL and MySQL write it everywhere, Spark in quotes only. */
  readonly escapes: 'everywhere' | 'in quotes' | 'nowhere'
  /** Whether quotes may enclose a value. */
  readonly quotes: boolean
}

export const plainDialect: CsvDialect = { escapes: 'nowhere', quotes: true }
export const backslashDialect: CsvDialect = { escapes: 'everywhere', quotes: true }

/** Whether records have to be written anew. */
export const isForeign = (dialect: CsvDialect | undefined): dialect is CsvDialect =>
  dialect !== undefined && (dialect.escapes !== 'nowhere' || !dialect.quotes)
