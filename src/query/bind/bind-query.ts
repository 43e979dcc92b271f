/**
 * Binds a parsed query to one dataset and the custom labels of one client: names become columns, and literals get types.
 * Refuses unknown fields and paths that do not name a single value; typing never refuses, it determines the meaning of a
 * comparison. No I/O; planning is the next step.
 */
import type { Dataset } from '../../schema/datasets.ts'
import type { ParsedQuery } from '../ast.ts'
import type { BoundQuery } from '../bound-query.ts'
import { bindFilter } from './bind-filter.ts'
import { bindOrderBy } from './bind-order-by.ts'
import type { Scope } from './resolve-path.ts'

/** The texts of the query, so that a problem can quote them. */
type QueryTexts = { readonly filter?: string | undefined; readonly orderBy?: string | undefined }

/** @throws QueryProblem QRY2xx at the first name that does not fit; the filter is bound before the order */
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
