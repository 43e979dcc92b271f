/**
 * Binds a parsed query to one dataset and the custom labels of one client, and answers a query whose names are columns and whose literals are typed.
 * Refuses unknown fields and paths that name no single value; typing never refuses, it decides what a comparison means.
 * No I/O; planning takes over from here.
 */
import type { Dataset } from '../../schema/datasets.ts'
import type { ParsedQuery } from '../ast.ts'
import type { BoundQuery } from '../bound-query.ts'
import { bindFilter } from './bind-filter.ts'
import { bindOrderBy } from './bind-order-by.ts'
import type { Scope } from './resolve-path.ts'

/** The values that the query was parsed from, so that a problem can show them. */
type QueryTexts = { readonly filter?: string | undefined; readonly orderBy?: string | undefined }

/** @throws QueryProblem QRY2xx at the first name that does not fit, the filter before the order */
export function bindQuery(
  parsed: ParsedQuery,
  dataset: Dataset,
  labels: readonly string[],
  texts: QueryTexts = {},
): BoundQuery {
  const names: Pick<Scope, 'dataset' | 'labels' | 'element'> = { dataset, labels, element: null }
  const inFilter: Scope = { ...names, parameter: '$filter', input: texts.filter }
  const inOrderBy: Scope = { ...names, parameter: '$orderby', input: texts.orderBy }
  return {
    dataset: dataset.name,
    where: parsed.filter && bindFilter(parsed.filter, inFilter),
    orderBy: bindOrderBy(parsed.orderBy, inOrderBy),
    paging: parsed.paging,
  }
}
