/** How large a query may be before it is refused with a problem that names the limit: each by the name of its setting. */
export type QueryLimits = {
  /** Characters (UTF-16 code units) of one decoded parameter value. */
  readonly parameterLength: number
  /** Nodes of the filter's syntax tree, clauses in version 1. List items have a limit of their own. */
  readonly filterNodes: number
  /** Levels of nesting: parentheses, `not`, `any` and `all`. */
  readonly filterDepth: number
  /** Items of one `in` or `nin` list. */
  readonly listItems: number
  /** Clauses of `$orderby`. */
  readonly sortClauses: number
}

export const defaultQueryLimits: QueryLimits = {
  parameterLength: 8192,
  filterNodes: 500,
  filterDepth: 64,
  listItems: 1000,
  sortClauses: 8,
}
