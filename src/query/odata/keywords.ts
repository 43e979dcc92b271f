/** The keywords of the language, in lower case: letter case does not count. */
import type { ComparisonOperator, TextFunction } from '../ast.ts'

export const comparisonOperators: ReadonlyMap<string, ComparisonOperator> = new Map(
  (['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const).map((operator) => [operator, operator]),
)

export const textFunctions: ReadonlyMap<string, TextFunction> = new Map(
  (['contains', 'startswith', 'endswith'] as const).map((name) => [name, name]),
)

export const quantifiers: ReadonlyMap<string, 'any' | 'all'> = new Map([
  ['any', 'any'],
  ['all', 'all'],
])

/** Every operator that may follow a field, and every function that may begin a condition. */
export const operatorNames: readonly string[] = [...comparisonOperators.keys(), 'in', 'nin']
export const functionNames: readonly string[] = [...textFunctions.keys(), ...quantifiers.keys()]

/** Refused as bare names in a path; allowed in `['...']`. */
export const reservedInFilter: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'true', 'false', 'null'],
  ...operatorNames,
  ...functionNames,
])

/** The directions are not reserved in $filter, where a label `Desc` needs no brackets. */
export const reservedInOrderBy: ReadonlySet<string> = new Set([...reservedInFilter, 'asc', 'desc'])
