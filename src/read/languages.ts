/** The query language of each version of the API: turns parameters into a parsed query of one common form. */
import type { Problem } from '../kernel/problem.ts'
import type { ParsedAggregation } from '../query/aggregation.ts'
import type { Paging, ParsedQuery } from '../query/ast.ts'
import { parseVersion1Parameters } from '../query/caret/parameters.ts'
import { overBudget as overBudgetVersion1 } from '../query/caret/problems.ts'
import type { QueryLimits } from '../query/limits.ts'
import { type Page, parseParameters, type QueryTexts } from '../query/odata/parameters.ts'
import { overBudget as overBudgetVersion2 } from '../query/problems.ts'
import { type Dataset, datasets, type ListName, version1Datasets } from '../schema/datasets.ts'
import type { RecordFormat } from '../schema/record-formats.ts'

/** The version determines query language, records and envelope. */
export type ApiVersion = 1 | 2

export type Parameters = readonly (readonly [name: string, value: string])[]

/** The parsed request, the same for both languages. */
export type ParsedRequest = {
  readonly dataset: Dataset
  readonly query: ParsedQuery
  /** What is asked for instead of records; null for records, and in version 1. */
  readonly aggregation: ParsedAggregation | null
  /** The values as sent, so that problems of binding can quote them. */
  readonly texts: QueryTexts
  /** Null when the request asks for no page, and in version 1. */
  readonly page: Page | null
  /** The part that $top and $skip name; null when the request has neither, and in version 1. */
  readonly slice: Paging | null
  readonly hasMeta: boolean
  /** Null when the headers of the request decide. */
  readonly format: RecordFormat | null
  /** Names of ignored parameters, to warn the caller. */
  readonly ignored: readonly string[]
  /** Parameters that may have been meant for labels of the client; none in version 1, which ignores them. */
  readonly unknown: Parameters
}

export const datasetOf = (version: ApiVersion, list: ListName): Dataset =>
  version === 1 ? version1Datasets[list] : datasets[list]

type Request = { readonly list: ListName; readonly parameters: () => Parameters }

type Parse = (request: Request, limits: QueryLimits) => ParsedRequest

export const languages: { readonly [Version in ApiVersion]: Parse } = {
  1: ({ list, parameters }, limits) => {
    const dataset = version1Datasets[list]
    const { query, unknown } = parseVersion1Parameters(parameters(), dataset, limits)
    const texts = { filter: undefined, orderBy: undefined, select: undefined, apply: undefined }
    return {
      dataset,
      query,
      aggregation: null,
      texts,
      page: null,
      slice: null,
      hasMeta: false,
      format: 'json',
      ignored: unknown,
      unknown: [],
    }
  },
  2: ({ list, parameters }, limits) => {
    const { given, ...parsed } = parseParameters(parameters(), limits)
    return { dataset: datasets[list], ...parsed, hasMeta: given, ignored: [] }
  },
}

type Refuse = (request: Request, limits: QueryLimits, rowsScanned: number, most: number) => Problem

/** The refusal of a filter that is certain to read more rows than it may. */
export const overBudget: { readonly [Version in ApiVersion]: Refuse } = {
  1: (_request, _limits, rowsScanned, most) => overBudgetVersion1(rowsScanned, most),
  2: ({ parameters }, limits, rowsScanned, most) => {
    const { filter, apply } = parseParameters(parameters(), limits).texts
    const at =
      filter === undefined && apply !== undefined
        ? { parameter: '$apply', input: apply }
        : { parameter: '$filter', input: filter }
    return overBudgetVersion2({ ...at, column: 0 }, rowsScanned, most)
  },
}
