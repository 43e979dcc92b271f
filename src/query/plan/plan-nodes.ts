/**
 * The plan: a normalised bound query, so that queries of equal meaning are equal data. Engines execute it; cache keys and
 * ETags derive from it.
 */
import type { BoundQuery } from '../bound-query.ts'

export type { ColumnRef, Comparand, Comparison, Predicate, SortKey } from '../bound-query.ts'

export type QueryPlan = BoundQuery
