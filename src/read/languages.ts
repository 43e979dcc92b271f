/** The query languages by the version of the API that speaks them: parameters in, one form of parsed query out. */
import type { Problem } from '../kernel/problem.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { parseVersion1Parameters } from '../query/caret/parameters.ts'
import { overBudget as overBudgetVersion1 } from '../query/caret/problems.ts'
import type { QueryLimits } from '../query/limits.ts'
import { type Page, parseParameters } from '../query/odata/parameters.ts'
import { overBudget as overBudgetVersion2 } from '../query/problems.ts'
import { type Dataset, datasets, type ListName, version1Datasets } from '../schema/datasets.ts'
import type { RecordFormat } from '../schema/record-formats.ts'

/** The version decides over query language, records and envelope. */
export type ApiVersion = 1 | 2

export type Parameters = readonly (readonly [name: string, value: string])[]

/** What was asked for, whichever language it was asked in. */
export type ParsedRequest = {
  readonly dataset: Dataset
  readonly query: ParsedQuery
  /** The values as given, so that binding can say what it refuses. */
  readonly texts: { readonly filter: string | undefined; readonly orderBy: string | undefined }
  /** Null where paging by pages did not apply. */
  readonly page: Page | null
  readonly hasMeta: boolean
  /** Null where the query leaves it to the headers of the request. */
  readonly format: RecordFormat | null
  /** Names of parameters that were ignored, where the caller is told. */
  readonly ignored: readonly string[]
}

export const datasetOf = (version: ApiVersion, list: ListName): Dataset =>
  version === 1 ? version1Datasets[list] : datasets[list]

type Request = { readonly list: ListName; readonly parameters: () => Parameters }

type Parse = (request: Request, limits: QueryLimits) => ParsedRequest

export const languages: { readonly [Version in ApiVersion]: Parse } = {
  1: ({ list, parameters }, limits) => {
    const dataset = version1Datasets[list]
    const { query, unknown } = parseVersion1Parameters(parameters(), dataset, limits)
    const texts = { filter: undefined, orderBy: undefined }
    return { dataset, query, texts, page: null, hasMeta: false, format: 'json', ignored: unknown }
  },
  2: ({ list, parameters }, limits) => {
    const { query, texts, page, format, given } = parseParameters(parameters(), limits)
    return { dataset: datasets[list], query, texts, page, hasMeta: given, format, ignored: [] }
  },
}

type Refuse = (request: Request, limits: QueryLimits, rowsScanned: number, most: number) => Problem

/** The refusal of a filter that is certain to look at more rows than it may. */
export const overBudget: { readonly [Version in ApiVersion]: Refuse } = {
  1: (_request, _limits, rowsScanned, most) => overBudgetVersion1(rowsScanned, most),
  2: ({ parameters }, limits, rowsScanned, most) => {
    const { filter } = parseParameters(parameters(), limits).texts
    return overBudgetVersion2({ parameter: '$filter', column: 0, input: filter }, rowsScanned, most)
  },
}
