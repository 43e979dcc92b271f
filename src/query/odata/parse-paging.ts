/**
 * Parses the parameters that name a part of the records: `$page` with `$pageSize`, which count in pages, or `$top` with `$skip`,
 * which count in records. They are not mixed. The part is never larger than the largest page.
 */
import type { QueryParameter } from '../../kernel/problem.ts'
import type { Paging } from '../ast.ts'
import { mixedPaging, notAWholeNumber } from '../problems.ts'

/** Specification 4.1 and section 8. */
const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 500

/** One-based page of a fixed size. */
export type Page = { readonly page: number; readonly pageSize: number }

export type ParsedPaging = {
  /** What the engine returns; null returns every record. */
  readonly paging: Paging | null
  /** The page, when the part was named by its page. */
  readonly page: Page | null
  /** The same as `paging`, when it was named by $top and $skip. */
  readonly slice: Paging | null
}

type Values = ReadonlyMap<QueryParameter, string>

/**
 * Either parameter of a pair switches paging on; the other one then has its default.
 *
 * @param hintFor advice about a value that is not a number
 * @throws QueryProblem QRY303, QRY306
 */
export function parsePaging(values: Values, hintFor: (input: string) => string | undefined): ParsedPaging {
  const page = given(values, ['$page', '$pageSize'])
  const slice = given(values, ['$top', '$skip'])
  if (page === null && slice === null) return whole
  if (page !== null && slice !== null) {
    throw mixedPaging({ parameter: slice, column: 0, input: values.get(slice) }, page)
  }
  const read = (parameter: keyof typeof ranges, preset: number): number => {
    const input = values.get(parameter)
    return input === undefined ? preset : parseNumber(parameter, input, hintFor)
  }
  if (page !== null) {
    const [number, pageSize] = [read('$page', 1), read('$pageSize', DEFAULT_PAGE_SIZE)]
    const paging = { offset: (number - 1) * pageSize, limit: pageSize }
    return { paging, page: { page: number, pageSize }, slice: null }
  }
  const [limit, offset] = [read('$top', DEFAULT_PAGE_SIZE), read('$skip', 0)]
  const paging = { offset, limit }
  return { paging, page: null, slice: paging }
}

const whole: ParsedPaging = { paging: null, page: null, slice: null }

const given = <P extends QueryParameter>(values: Values, names: readonly P[]): P | null =>
  names.find((name) => values.has(name)) ?? null

const UNTIL_MOST = `(more than ${MAX_PAGE_SIZE} means ${MAX_PAGE_SIZE})`

/** Sizes above the maximum, even uncountably large ones, become the maximum. */
const ranges = {
  $page: { least: 1, isSize: false, words: 'of at least 1' },
  $pageSize: { least: 1, isSize: true, words: `of at least 1 ${UNTIL_MOST}` },
  $top: { least: 0, isSize: true, words: `of at least 0 ${UNTIL_MOST}` },
  $skip: { least: 0, isSize: false, words: 'of at least 0' },
} as const

/** Accepts `1`, `007`; refuses the empty text, `-1`, `+1`, ` 1`, `1.0`, `1e2` and integers that a double cannot hold. */
function parseNumber(
  parameter: keyof typeof ranges,
  input: string,
  hintFor: (input: string) => string | undefined,
): number {
  const { least, isSize, words } = ranges[parameter]
  const firstOdd = input.search(/[^0-9]/)
  const value = Number(input)
  if (input !== '' && firstOdd === -1) {
    if (isSize && value > MAX_PAGE_SIZE) return MAX_PAGE_SIZE
    if (value >= least && Number.isSafeInteger(value)) return value
  }
  const at = { parameter, column: Math.max(firstOdd, 0), input }
  const isTooLarge = firstOdd === -1 && value > Number.MAX_SAFE_INTEGER
  const range = isTooLarge ? `from ${least} to ${Number.MAX_SAFE_INTEGER}` : words
  throw notAWholeNumber(at, range, input, hintFor(input))
}
