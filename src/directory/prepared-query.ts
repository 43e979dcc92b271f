/** Queries that are built once and asked many times with other values: building one costs more than asking it. */
import type { Compilable, CompiledQuery, QueryResult } from 'kysely'

/**
 * @param query with any values, in whose places those of each call come, in the order in which the query names them
 * @returns asks it within a transaction, or outside of any
 */
export function prepareQuery<Row>(
  query: Compilable<Row>,
): (queries: Queries, values: readonly unknown[]) => Promise<QueryResult<Row>> {
  const compiled: CompiledQuery<Row> = query.compile()
  return (queries, values) => queries.executeQuery({ ...compiled, parameters: values })
}

type Queries = { readonly executeQuery: <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>> }
