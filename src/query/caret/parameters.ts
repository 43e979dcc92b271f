/**
 * Turns the parameters of a version 1 list into a parsed query (specification 4.2 and 8, design 7.5). Names are decoded, values
 * are raw, because `query` is split before it is decoded. Unknown parameters are ignored, as the specification says, and
 * returned by name so that the caller can be warned. Binding is the next step.
 */
import { decodeForm } from '../../kernel/addresses/form-encoding.ts'
import type { Version1Dataset } from '../../schema/datasets.ts'
import type { Paging, ParsedQuery } from '../ast.ts'
import type { QueryLimits } from '../limits.ts'
import { desugarClauses } from './desugar-clauses.ts'
import { parseClauses } from './parse-clauses.ts'
import { repeatedQuery } from './problems.ts'
import { unknownNames } from './unknown-parameters.ts'

const DEFAULT_FETCH = 10
const MAX_FETCH = 100

type Pairs = readonly (readonly [name: string, rawValue: string])[]

type ParsedVersion1Parameters = {
  readonly query: ParsedQuery
  /** Unknown names as written, in their order and without repetitions. */
  readonly unknown: readonly string[]
}

/** @throws Problem QRY40x and QRY41x; a repeated `query` before anything else */
export function parseVersion1Parameters(
  pairs: Pairs,
  dataset: Version1Dataset,
  limits: QueryLimits,
): ParsedVersion1Parameters {
  const [query, second] = valuesOf('query', pairs)
  // Dropping one of two filters would return other records than requested.
  if (second !== undefined) throw repeatedQuery()
  return {
    query: {
      filter: query === undefined ? null : desugarClauses(parseClauses(query, limits), dataset),
      orderBy: [],
      paging: parsePaging(valuesOf('fetch', pairs)[0], valuesOf('offset', pairs)[0]),
      select: null,
    },
    unknown: unknownNames(pairs),
  }
}

const valuesOf = (wanted: string, pairs: Pairs): readonly string[] =>
  pairs.filter(([name]) => name.toLowerCase() === wanted).map(([, rawValue]) => rawValue)

/** Refuses nothing: older integrations that send `fetch=all` keep getting the default. */
function parsePaging(fetch: string | undefined, offset: string | undefined): Paging {
  return {
    offset: Math.min(parseCount(offset) ?? 0, Number.MAX_SAFE_INTEGER),
    limit: Math.min(parseCount(fetch) || DEFAULT_FETCH, MAX_FETCH),
  }
}

/** Accepts `25`, ` 007 `, and any number of digits. Undefined for `-1`, `+1`, `5.5`, `1e2`, the empty text and `%`. */
function parseCount(raw = ''): number | undefined {
  const text = decodeForm(raw)?.trim() ?? ''
  return /^[0-9]+$/.test(text) ? Number(text) : undefined
}
