/** The query languages by the version of the API that speaks them: parameters in, one form of parsed query out. */
import type { ParsedQuery } from '../query/ast.ts'
import { parseVersion1Parameters } from '../query/caret/parameters.ts'
import type { QueryLimits } from '../query/limits.ts'
import { type Page, parseParameters } from '../query/odata/parameters.ts'
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

type Parse = (
  request: { readonly list: ListName; readonly parameters: () => Parameters },
  limits: QueryLimits,
) => ParsedRequest

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
