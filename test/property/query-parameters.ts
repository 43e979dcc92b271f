/** Turns a query into the parameters of a request and into the expected content of its answer. */
import type { FieldPath, Ordering, Paging, ParsedQuery } from '../../src/query/ast.ts'
import { printFilter } from '../../src/query/odata/print-filter.ts'
import type { QueryMeta } from '../../src/schema/shapes.ts'
import type { JsonRecord } from '../fixtures/json-record.ts'
import { shownRecord } from '../fixtures/queried-records.ts'
import { answerNaively, type Scope } from './naive-evaluator.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

export function parametersOf({ filter, orderBy, paging }: ParsedQuery): Parameters {
  return [
    ...(filter === null ? [] : [['$filter', printFilter(filter)] as const]),
    ...(orderBy.length === 0 ? [] : [['$orderby', orderBy.map(printOrdering).join(', ')] as const]),
    ...(paging === null ? [] : [['$page', String(pageNumber(paging))] as const]),
    ...(paging === null ? [] : [['$pageSize', String(paging.limit)] as const]),
  ]
}

/** Content of an envelope (specification 2.6), over the client's records in the default order. */
export type EnvelopeContent = {
  readonly count: number
  readonly records: readonly JsonRecord[]
  readonly meta: QueryMeta | null
}

export function expectedAnswer(
  records: readonly JsonRecord[],
  query: ParsedQuery,
  scope: Scope,
): EnvelopeContent {
  const answer = answerNaively(records, query, scope)
  const asked = parametersOf(query).length > 0
  return {
    count: answer.records.length,
    records: answer.records.map((record) => shownRecord(record, scope.dataset)),
    meta: asked ? expectedMeta(answer.total, query.paging) : null,
  }
}

function expectedMeta(total: number, paging: ParsedQuery['paging']): QueryMeta {
  if (paging === null) return { total, filteredCount: total }
  const page = pageNumber(paging)
  const pageSize = paging.limit
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize), filteredCount: total }
}

const pageNumber = ({ offset, limit }: Paging): number => offset / limit + 1

const printOrdering = ({ field, direction }: Ordering): string => `${printPath(field)} ${direction}`

const printPath = ({ names }: FieldPath): string =>
  names
    .map(({ name, quoted }, index) => {
      if (quoted) return `['${name.replaceAll("'", "''")}']`
      return index === 0 ? name : `.${name}`
    })
    .join('')
