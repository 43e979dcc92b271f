/**
 * Binds a parsed query to one dataset and the custom labels of one client, and answers the plan that engines execute.
 * Refuses unknown fields and paths that name no single value; typing never refuses, it decides what a comparison means.
 * No I/O and no engine knowledge.
 */
import type { Dataset } from '../../schema/datasets.ts'
import type { ParsedQuery } from '../ast.ts'
import { normalisePlan } from '../plan/normalise-plan.ts'
import type { QueryPlan } from '../plan/plan-nodes.ts'
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
): QueryPlan {
  const names: Pick<Scope, 'dataset' | 'labels' | 'element'> = { dataset, labels, element: null }
  const inFilter: Scope = { ...names, parameter: '$filter', input: texts.filter }
  const inOrderBy: Scope = { ...names, parameter: '$orderby', input: texts.orderBy }
  return normalisePlan({
    dataset: dataset.name,
    where: parsed.filter && bindFilter(parsed.filter, inFilter),
    orderBy: bindOrderBy(parsed.orderBy, inOrderBy),
    paging: parsed.paging,
  })
}
