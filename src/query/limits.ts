/** The largest query that is accepted. Each limit has the name of its setting, which the problem names. */
export type QueryLimits = {
  /** Characters (UTF-16 code units) of one decoded parameter value. */
  readonly parameterLength: number
  /** Nodes of the filter's syntax tree, clauses in version 1. List items have their own limit. */
  readonly filterNodes: number
  /** Levels of nesting: parentheses, `not`, `any` and `all`. */
  readonly filterDepth: number
  /** Items of one `in` or `nin` list. */
  readonly listItems: number
  /** Clauses of `$orderby`. */
  readonly sortClauses: number
  /** Dimensions of `groupby` in `$apply`. */
  readonly applyDimensions: number
  /** Aggregates of `aggregate` in `$apply`. */
  readonly applyAggregates: number
}

export const defaultQueryLimits: QueryLimits = {
  parameterLength: 8192,
  filterNodes: 500,
  filterDepth: 64,
  listItems: 1000,
  sortClauses: 8,
  applyDimensions: 8,
  applyAggregates: 16,
}
