/**
 * Compiles a predicate to a condition in SQL. Predicates have two truth values and SQL has three: where a comparison with null
 * is unknown, `and`, `or` and `where` treat it like false, and `not` is written `is not true`.
 */
import type { ColumnRef, Comparand, Predicate } from '../../query/plan/plan-nodes.ts'
import type { CollectionName } from '../../schema/datasets.ts'
import { sequenceKeys, textKey } from '../../snapshot/postgres/index-keys.ts'
import { compareColumn, oneOfColumn } from './compare-column.ts'
import type { Parameters } from './parameters.ts'
import type { SqlColumn } from './stored-columns.ts'
import { matchText } from './text-patterns.ts'

/** What the columns of a predicate mean: those of a record, or those of an element. */
export type Scope = {
  readonly parameters: Parameters
  /** @throws Error when the records have no such column */
  readonly column: (column: ColumnRef) => SqlColumn
  /** The records with an element of a collection that satisfies the condition; null: with any element. */
  readonly any: (collection: CollectionName, condition: Predicate | null) => string
  /** Where rows have keys of an inverted index. */
  readonly keys: Keys | null
}

type Keys = {
  readonly column: string
  readonly clientNumber: string
  /** Whether whole texts of a column have keys, and whether sequences of characters have. */
  readonly hasTexts: (column: string) => boolean
  readonly hasSequences: (column: string) => boolean
}

export function conditionOf(predicate: Predicate, scope: Scope): string {
  switch (predicate.kind) {
    case 'constant':
      return String(predicate.value)
    case 'and':
      return joined(predicate.operands, ' and ', 'true', scope)
    case 'or':
      return joined(predicate.operands, ' or ', 'false', scope)
    case 'not':
      return mayBeUnknown(predicate.operand, scope)
        ? `((${conditionOf(predicate.operand, scope)}) is not true)`
        : `(not (${conditionOf(predicate.operand, scope)}))`
    case 'is-null':
      return `${scope.column(predicate.column).value} is null`
    case 'compare': {
      const column = scope.column(predicate.column)
      const { comparison, comparand } = predicate
      const condition = compareColumn(column, comparison, comparand, scope.parameters)
      return comparison === 'eq' ? withKeys(condition, column, [comparand], scope) : condition
    }
    case 'one-of': {
      const column = scope.column(predicate.column)
      const equal = oneOfColumn(column, predicate.comparands, scope.parameters)
      const found = withKeys(equal, column, predicate.comparands, scope)
      return predicate.orNull ? `(${found} or ${column.value} is null)` : found
    }
    case 'match':
      return matches(predicate, scope)
    case 'any':
      return scope.any(predicate.collection, predicate.condition)
  }
}

/** Whether a condition may be neither true nor false. One that cannot is negated in a way that indexes understand. */
function mayBeUnknown(predicate: Predicate, { column }: Scope): boolean {
  if (predicate.kind !== 'compare') return predicate.kind !== 'constant'
  const { nullable, parsed } = column(predicate.column)
  return nullable || (parsed !== null && predicate.comparand.as !== 'text')
}

function joined(operands: readonly Predicate[], by: string, none: string, scope: Scope): string {
  return operands.length === 0 ? none : `(${operands.map((each) => conditionOf(each, scope)).join(by)})`
}

/** Adds what finds the rows in the inverted index, where the column has keys and all literals are texts. */
function withKeys(
  condition: string,
  { keyed }: SqlColumn,
  comparands: readonly Comparand[],
  { keys, parameters }: Scope,
): string {
  if (condition === 'false' || keys === null || keyed === null || !keys.hasTexts(keyed)) return condition
  const wanted: number[] = []
  for (const comparand of comparands) {
    if (comparand.as !== 'text') return condition
    wanted.push(textKey(keys.clientNumber, keyed, comparand.folded))
  }
  return `(${keys.column} && ${parameters.add(wanted, 'integer[]')} and ${condition})`
}

function matches(
  { column: ref, function: test, folded }: Extract<Predicate, { readonly kind: 'match' }>,
  { column: columnOf, parameters, keys }: Scope,
): string {
  const column = columnOf(ref)
  const condition = matchText(column.folded, test, folded, parameters)
  if (keys === null || column.keyed === null || !keys.hasSequences(column.keyed)) return condition
  const sequences = sequenceKeys(keys.clientNumber, column.keyed, folded)
  if (sequences.length === 0) return condition
  return `(${keys.column} @> ${parameters.add(sequences, 'integer[]')} and ${condition})`
}
