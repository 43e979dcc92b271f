/**
 * The plan: a bound query brought into one form, so that queries of equal meaning are equal data. What engines execute,
 * and what cache keys and ETags are made of.
 */
import type { BoundQuery } from '../bound-query.ts'

export type { ColumnRef, Comparand, Comparison, Predicate, SortKey } from '../bound-query.ts'

export type QueryPlan = BoundQuery
