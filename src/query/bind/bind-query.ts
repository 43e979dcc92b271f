/**
 * Binds a parsed query to one dataset and the custom labels of one client: names become columns, and literals get types.
 * Refuses unknown names, paths that do not name a single value, and literals that do not fit their field. No I/O; planning is
 * the next step.
 */
import type { Dataset } from '../../schema/datasets.ts'
import type { ParsedQuery } from '../ast.ts'
import type { BoundQuery } from '../bound-query.ts'
import { bindFilter } from './bind-filter.ts'
import { bindOrderBy } from './bind-order-by.ts'
import { bindSelect } from './bind-select.ts'
import type { Scope, UnknownLabels } from './resolve-path.ts'

/** The texts of the query, so that a problem can quote them. */
type QueryTexts = {
  readonly filter?: string | undefined
  readonly orderBy?: string | undefined
  readonly select?: string | undefined
}

/** @throws QueryProblem QRY2xx or QRY33x at the first name or literal that does not fit; the filter is bound first, then the order, then the selection */
export function bindQuery(
  parsed: ParsedQuery,
  dataset: Dataset,
  labels: readonly string[],
  texts: QueryTexts = {},
  unknownLabels: UnknownLabels = 'refuse',
): BoundQuery {
  const names: Omit<Scope, 'parameter' | 'input'> = { dataset, labels, unknownLabels, element: null }
  const inFilter: Scope = { ...names, parameter: '$filter', input: texts.filter }
  const inOrderBy: Scope = { ...names, parameter: '$orderby', input: texts.orderBy }
  const inSelect: Scope = { ...names, parameter: '$select', input: texts.select }
  return {
    dataset: dataset.name,
    where: parsed.filter && bindFilter(parsed.filter, inFilter),
    orderBy: bindOrderBy(parsed.orderBy, inOrderBy),
    paging: parsed.paging,
    select: bindSelect(parsed.select, inSelect),
  }
}
