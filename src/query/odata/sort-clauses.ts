/** What the two forms of $orderby have in common: clauses with commas between them. */
import type { QueryLimits } from '../limits.ts'
import { emptyValue, overLimit } from '../problems.ts'
import { atEnd, here, placeAt, type TokenReader, takeSymbol } from './token-reader.ts'

/** Reads clauses as long as commas follow. @throws QueryProblem QRY3xx for an empty value and for too many clauses */
export function readSortClauses<Clause>(
  reader: TokenReader,
  limits: QueryLimits,
  readClause: (reader: TokenReader) => Clause,
): readonly Clause[] {
  if (atEnd(reader)) throw emptyValue(placeAt(reader, 0), 'a sort clause')
  const clauses: Clause[] = []
  do {
    if (clauses.length === limits.sortClauses) throw overLimit(here(reader), 'sortClauses', limits)
    clauses.push(readClause(reader))
  } while (takeSymbol(reader, ','))
  return clauses
}
