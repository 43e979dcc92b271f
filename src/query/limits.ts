/** How large a query may be before it is refused with a problem that names the limit. Each is a setting. */
export type QueryLimits = {
  /** Characters (UTF-16 code units) of one decoded parameter value. */
  readonly parameterLength: number
  /** Nodes of the filter's syntax tree: operators, functions and comparisons. List items have a limit of their own. */
  readonly nodes: number
  /** Levels of nesting: parentheses, `not`, `any` and `all`. */
  readonly depth: number
  /** Items of one `in` or `nin` list. */
  readonly listItems: number
  /** Clauses of `$orderby`. */
  readonly sortClauses: number
}

export const defaultQueryLimits: QueryLimits = {
  parameterLength: 8192,
  nodes: 500,
  depth: 64,
  listItems: 1000,
  sortClauses: 8,
}
