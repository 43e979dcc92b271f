/**
 * Turns the decoded parameters of a version 2 list into a parsed query (specification 4.1, design 6.1 and 6.2). Refuses an
 * unknown name that was probably meant for us, because ignoring it would silently return other records than requested: a
 * mistyped name, one of another service, a field. Ignores any other unknown name. Binding is the next step.
 */
import { distance } from 'fastest-levenshtein'
import { closest } from '../../kernel/closest.ts'
import type { QueryParameter } from '../../kernel/problem.ts'
import { type RecordFormat, recordFormats } from '../../schema/record-formats.ts'
import type { ParsedAggregation } from '../aggregation.ts'
import { selectedGroups } from '../aggregation-problems.ts'
import type { ParsedQuery } from '../ast.ts'
import { bareName, namesBehindSemicolons, slipAdvice } from '../bare-name.ts'
import type { QueryLimits } from '../limits.ts'
import {
  choice,
  emptyValue,
  namelessParameter,
  notATruthValue,
  overLimit,
  type Place,
  repeatedParameter,
  unknownFormat,
  unknownParameter,
} from '../problems.ts'
import { parseApply } from './apply/parse-apply.ts'
import { parseGroupOrder } from './apply/parse-group-order.ts'
import { adviceForAdditionalField, adviceForField } from './field-parameters.ts'
import { adviceForBracketed, adviceForOthers } from './other-services.ts'
import { parseFilter } from './parse-filter.ts'
import { parseOrderBy } from './parse-order-by.ts'
import { type ParsedPaging, parsePaging } from './parse-paging.ts'
import { parseSelect } from './parse-select.ts'

export type { Page } from './parse-paging.ts'

type ParsedParameters = Pick<ParsedPaging, 'page' | 'slice'> & {
  readonly query: ParsedQuery
  /** The aggregation that `$apply` asks for instead of records; null without it. */
  readonly aggregation: ParsedAggregation | null
  /** The values as sent, so that problems of binding can quote them. */
  readonly texts: QueryTexts
  /** Null when the headers of the request decide. */
  readonly format: RecordFormat | null
  /** Whether a known parameter was given: then the answer has `_meta`. */
  readonly given: boolean
  /** Parameters that no one here knows, except possibly as labels of the client. */
  readonly unknown: Parameters
}

export type QueryTexts = {
  readonly filter: string | undefined
  readonly orderBy: string | undefined
  readonly select: string | undefined
  readonly apply: string | undefined
}

type Parameters = readonly (readonly [name: string, value: string])[]

/** @throws QueryProblem QRY1xx and QRY3xx, for unknown and repeated names before anything else */
export function parseParameters(pairs: Parameters, limits: QueryLimits): ParsedParameters {
  const { values, unknown } = collectValues(pairs)
  for (const [parameter, input] of values) refuseOverlong(parameter, input, limits)
  const filter = values.get('$filter')
  const orderBy = values.get('$orderby')
  const select = values.get('$select')
  const parsedFilter = filter === undefined ? null : parseFilter(filter, limits)
  const apply = values.get('$apply')
  const parsedApply = apply === undefined ? null : parseApply(apply, limits)
  if (parsedApply !== null && select !== undefined)
    throw selectedGroups({ parameter: '$select', column: 0, input: select })
  const isListOrder = orderBy !== undefined && parsedApply === null
  const parsedOrder = isListOrder ? parseOrderBy(orderBy, limits) : []
  const parsedSelect = select === undefined ? null : parseSelect(select)
  const { paging, page, slice } = parsePaging(values, hintForNumber)
  refuseOtherCounts(values.get('$count'))
  const format = parseFormat(values.get('$format'))
  return {
    query: { filter: parsedFilter, orderBy: parsedOrder, paging, select: parsedSelect },
    aggregation: parsedApply && {
      ...parsedApply,
      filter: parsedFilter,
      orderBy: orderBy === undefined ? [] : parseGroupOrder(orderBy, limits),
      paging,
    },
    page,
    slice,
    texts: { filter, orderBy, select, apply },
    format,
    given: values.size > 0,
    unknown,
  }
}

const ours: ReadonlyMap<string, QueryParameter> = new Map([
  ['filter', '$filter'],
  ['apply', '$apply'],
  ['orderby', '$orderby'],
  ['select', '$select'],
  ['page', '$page'],
  ['pagesize', '$pageSize'],
  ['top', '$top'],
  ['skip', '$skip'],
  ['count', '$count'],
  ['format', '$format'],
])

function collectValues(pairs: Parameters) {
  const values = new Map<QueryParameter, string>()
  const unknown: (readonly [name: string, value: string])[] = []
  for (const [name, input] of pairs) {
    const bare = name.toLowerCase().replace(/^\$/, '')
    const parameter = ours.get(bare)
    if (parameter === undefined) {
      refuseLikelyMeantForUs({ parameter: name, column: 0, input })
      unknown.push([name, input])
    } else if (values.has(parameter)) throw repeatedParameter({ parameter, column: 0, input })
    else values.set(parameter, input)
  }
  return { values, unknown }
}

/** The parameters of version 1. Ignoring them would return every record. */
const adviceForVersion1: ReadonlyMap<string, string> = new Map([
  ['query', 'use $filter: query is a parameter of version 1'],
  ['fetch', 'use $pageSize, at most 500, with $page: fetch is a parameter of version 1'],
  ['offset', 'use $page with $pageSize: offset is a parameter of version 1'],
])

const CARET_CLAUSE = /\^(?:eq|ne|gt|lt|ge|le|in|ni|ct)/i

function refuseLikelyMeantForUs(at: Place): void {
  const { parameter, input = '' } = at
  if (parameter === '' || (input !== '' && bareName(parameter) === '')) throw namelessParameter(input)
  // Refused when the labels of the client are known.
  if (adviceForAdditionalField(parameter, input) !== undefined) return
  const advice = adviceForField(parameter, input) ?? adviceFor(parameter)
  if (advice !== undefined) throw unknownParameter(at, advice)
  const column = hiddenParameterAt(input)
  if (column >= 0) throw unknownParameter({ ...at, column }, SEMICOLON_ADVICE)
}

const SEMICOLON_ADVICE = 'write & between parameters, not ;'

/** Undefined for a name that is not similar to a known one. */
function adviceFor(name: string): string | undefined {
  const bare = bareName(name)
  const meant = ours.get(bare)
  if (meant !== undefined) return withSlip(`did you mean ${meant}?`, name)
  const ofVersion1 = adviceForVersion1.get(bare)
  if (ofVersion1 !== undefined) return ofVersion1
  if (name.length <= LONGEST_CLAUSE && CARET_CLAUSE.test(name))
    return 'use $filter: such clauses are of version 1'
  const ofOthers = adviceForOthers.get(bare.replace(/[_-]/g, ''))
  if (ofOthers !== undefined) return ofOthers
  const bracket = bare.search(/[.[]/)
  const ofBracketed = bracket < 0 ? undefined : adviceForBracketed(bare.slice(0, bracket))
  if (ofBracketed !== undefined) return ofBracketed
  const nearest = nearestParameter(bare)
  if (nearest !== undefined) return `did you mean ${nearest}?`
  return name.startsWith('$') ? `use ${choice([...ours.values()])}` : undefined
}

const LONGEST_CLAUSE = 1000

function withSlip(question: string, name: string): string {
  const advice = slipAdvice(name)
  return advice === undefined ? question : `${question} Then ${advice}`
}

/** Where a known parameter follows a semicolon, as in `a=1;$filter=b`; -1 when none does. */
function hiddenParameterAt(value: string): number {
  const hidden = namesBehindSemicolons(value).find((name) => ours.has(bareName(name)))
  return hidden === undefined ? -1 : value.indexOf(hidden)
}

/** The nearest known parameter. Names are compared in lower case and without their `$`. */
function nearestParameter(bare: string): QueryParameter | undefined {
  let nearest: QueryParameter | undefined
  let fewest = 3
  for (const [name, parameter] of ours) {
    if (Math.abs(name.length - bare.length) > 2) continue
    const slips = distance(name, bare)
    if (slips < fewest && (slips < 2 || !easilyMistaken.has(parameter))) {
      nearest = parameter
      fewest = slips
    }
  }
  return nearest
}

/** Names of other systems, such as `ts`, `ships` and `country`, are two slips away from these short words. */
const easilyMistaken: ReadonlySet<QueryParameter> = new Set(['$top', '$skip', '$count'])

function refuseOverlong(parameter: QueryParameter, input: string, limits: QueryLimits): void {
  const column = limits.parameterLength
  if (input.length > column) throw overLimit({ parameter, column, input }, 'parameterLength', limits)
}

const hintForNumber = (input: string): string | undefined =>
  hiddenParameterAt(input) < 0 ? undefined : SEMICOLON_ADVICE

/** The total is in `_meta` whenever a parameter is given, so both values have the same answer. */
function refuseOtherCounts(input: string | undefined): void {
  if (input === undefined || ['true', 'false'].includes(input.toLowerCase())) return
  throw notATruthValue({ parameter: '$count', column: 0, input })
}

/** Accepts `csv`, `CSV`; refuses anything else, also names with spaces around them. */
function parseFormat(input: string | undefined): RecordFormat | null {
  if (input === undefined) return null
  const at = { parameter: '$format', column: 0, input }
  if (input === '') throw emptyValue(at, choice(recordFormats))
  const wanted = input.toLowerCase()
  const format = recordFormats.find((name) => name === wanted)
  if (format !== undefined) return format
  throw unknownFormat(at, recordFormats, otherFormats.get(wanted) ?? closest(wanted, recordFormats))
}

/** What readers of another format can read as well: Excel opens CSV, data frames read Arrow. */
const otherFormats: ReadonlyMap<string, RecordFormat> = new Map(
  (
    [
      ['ndjson', 'jsonl jsonlines json-lines x-ndjson ldjson'],
      ['csv', 'excel xls xlsx tsv txt text'],
      ['arrow', 'parquet feather ipc'],
    ] as const
  ).flatMap(([format, others]) => others.split(' ').map((other): [string, RecordFormat] => [other, format])),
)
