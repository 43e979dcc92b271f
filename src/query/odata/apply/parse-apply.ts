/**
 * Parses $apply, a subset of OData Data Aggregation 4.0:
 *
 *     apply     = { filter "/" } ( groupby | aggregate )
 *     filter    = "filter" "(" condition ")"
 *     groupby   = "groupby" "(" "(" grouping { "," grouping } ")" [ "," aggregate ] ")"
 *     aggregate = "aggregate" "(" value { "," value } ")"
 *     grouping  = dimension [ "as" name ]
 *     value     = ["$"] "count" "as" name | path "with" method "as" name
 *     method    = "sum" | "min" | "max" | "average" | "countdistinct"
 *
 * Keywords are case-insensitive. Conditions are those of $filter, dimensions are in parse-dimension.ts. Binding looks up the names.
 */
import { closest } from '../../../kernel/closest.ts'
import {
  type AggregateMethod,
  aggregateMethods,
  type ParsedAggregate,
  type ParsedAggregation,
  type ParsedDimension,
} from '../../aggregation.ts'
import { unfitSteps, unknownMethod, unknownStep } from '../../aggregation-problems.ts'
import type { Expr, FieldPath, PathName } from '../../ast.ts'
import type { QueryLimits } from '../../limits.ts'
import { emptyValue, overLimit } from '../../problems.ts'
import { reservedInOrderBy } from '../keywords.ts'
import { adviceForLabelInList } from '../other-forms.ts'
import { parseFilterInParentheses } from '../parse-filter.ts'
import { parsePath } from '../parse-path.ts'
import {
  advance,
  atEnd,
  atSymbol,
  atWord,
  expectSymbol,
  here,
  openTokenReader,
  placeAt,
  type TokenReader,
  takeSymbol,
  unexpectedToken,
} from '../token-reader.ts'
import { parseDimensionTerm } from './parse-dimension.ts'

export type ParsedApply = Pick<ParsedAggregation, 'steps' | 'dimensions' | 'aggregates'>

/** @throws QueryProblem QRY1xx and QRY50x where the text does not match the grammar, QRY3xx and QRY51x where it exceeds a limit */
export function parseApply(input: string, limits: QueryLimits): ParsedApply {
  const reader = openTokenReader('$apply', input)
  if (atEnd(reader)) throw emptyValue(placeAt(reader, 0), EXAMPLE)
  const steps: Expr[] = []
  const counted = { nodes: 0 }
  while (true) {
    const { text, span } = advanceStep(reader)
    switch (text) {
      case 'filter':
        steps.push(parseFilterInParentheses(reader, limits, counted))
        if (atEnd(reader))
          throw unfitSteps(here(reader), 'filter(...) as the last step; $filter selects records')
        expectSymbol(reader, '/', "'/' and the next step after filter(...)")
        continue
      case 'groupby':
        return ended(reader, 'groupby', { steps, ...parseGroupBy(reader, limits) })
      case 'aggregate':
        return ended(reader, 'aggregate', {
          steps,
          dimensions: [],
          aggregates: parseAggregates(reader, limits),
        })
      default:
        throw unknownStep(placeAt(reader, span.start), text, adviceFor(text))
    }
  }
}

const EXAMPLE = 'steps such as groupby((month(bookingDate)),aggregate($count as n))'

/** The name of a step in lower case, and its parenthesis. */
function advanceStep(reader: TokenReader): {
  readonly text: string
  readonly span: { readonly start: number }
} {
  if (reader.token.kind !== 'word') throw unexpectedToken(reader, 'the step filter, groupby or aggregate')
  const { text, span } = advance(reader)
  const name = text.toLowerCase()
  if (!STEPS.includes(name)) return { text: name, span }
  expectSymbol(reader, '(', `'(' after ${name}`)
  return { text: name, span }
}

const STEPS: readonly string[] = ['filter', 'groupby', 'aggregate']

const otherSteps: ReadonlyMap<string, string> = new Map([
  ...['orderby', 'sort'].map((name): [string, string] => [name, 'sort with $orderby beside $apply']),
  ...['top', 'skip', 'limit'].map((name): [string, string] => [
    name,
    'page with $page and $pageSize beside $apply',
  ]),
  ...['topcount', 'topsum', 'toppercent', 'bottomcount', 'bottomsum', 'bottompercent'].map(
    (name): [string, string] => [name, 'sort with $orderby, and take the first page with $pageSize'],
  ),
  ['where', 'use filter'],
  ['group', 'use groupby'],
  ['search', "use filter with contains(field, 'text')"],
])

function adviceFor(name: string): string {
  const nearest = otherSteps.get(name) ?? closest(name, STEPS)
  if (nearest === undefined) return `write it like ${EXAMPLE.replace('steps such as ', '')}`
  return STEPS.includes(nearest) ? `did you mean ${nearest}?` : nearest
}

function ended(reader: TokenReader, last: string, parsed: ParsedApply): ParsedApply {
  if (atEnd(reader)) return parsed
  if (atSymbol(reader, '/')) throw unfitSteps(here(reader), `another step after ${last}(...)`)
  throw unexpectedToken(reader, `the end of the value after ${last}(...)`)
}

function parseGroupBy(
  reader: TokenReader,
  limits: QueryLimits,
): Pick<ParsedApply, 'dimensions' | 'aggregates'> {
  if (!takeSymbol(reader, '(')) {
    throw unexpectedToken(reader, "a second '(' before the dimensions", {
      hint: 'write it like groupby((company))',
    })
  }
  const dimensions: ParsedDimension[] = []
  do {
    if (dimensions.length === limits.applyDimensions) throw overLimit(here(reader), 'applyDimensions', limits)
    dimensions.push(parseGrouping(reader))
  } while (takeSymbol(reader, ','))
  const { token, input } = reader
  const label =
    token.kind === 'word' ? adviceForLabelInList(input.slice(dimensions.at(-1)?.span.start)) : undefined
  expectSymbol(reader, ')', "as, ',' or ')' after a dimension", label)
  if (!takeSymbol(reader, ',')) {
    expectSymbol(reader, ')', "',' and aggregate(...), or ')' after the dimensions")
    return { dimensions, aggregates: [] }
  }
  if (!atWord(reader, 'aggregate')) throw unexpectedToken(reader, 'aggregate(...) after the dimensions')
  advance(reader)
  expectSymbol(reader, '(', "'(' after aggregate")
  const aggregates = parseAggregates(reader, limits)
  expectSymbol(reader, ')', "')' after aggregate(...)")
  return { dimensions, aggregates }
}

/** Accepts `company`, `month(bookingDate) as month`; refuses `company month`. */
function parseGrouping(reader: TokenReader): ParsedDimension {
  const { start } = reader.token.span
  const term = parseDimensionTerm(reader)
  const alias = atWord(reader, 'as') ? parseAlias(reader) : null
  return { ...term, alias, span: { start, end: reader.end } }
}

/** What is inside `aggregate(...)`, with its closing parenthesis. */
function parseAggregates(reader: TokenReader, limits: QueryLimits): readonly ParsedAggregate[] {
  const aggregates: ParsedAggregate[] = []
  do {
    if (aggregates.length === limits.applyAggregates) throw overLimit(here(reader), 'applyAggregates', limits)
    aggregates.push(parseValue(reader))
  } while (takeSymbol(reader, ','))
  expectSymbol(reader, ')', "',' or ')' after an aggregate")
  return aggregates
}

/** Accepts `$count as n`, `count as n`, `unitPrice with sum as total`; refuses `sum(unitPrice)`, `$count`, `unitPrice as total`. */
function parseValue(reader: TokenReader): ParsedAggregate {
  const { start } = reader.token.span
  if (takeSymbol(reader, '$')) {
    if (!atWord(reader, 'count')) throw unexpectedToken(reader, 'count after $')
    advance(reader)
    const alias = parseAlias(reader)
    return { kind: 'count', alias, span: { start, end: reader.end } }
  }
  const field = parsePath(reader, reservedInOrderBy)
  // Between double quotes a shell replaces `$count` by nothing.
  if (isCount(field) && atWord(reader, 'as')) {
    const alias = parseAlias(reader)
    return { kind: 'count', alias, span: { start, end: reader.end } }
  }
  if (!atWord(reader, 'with')) {
    const called = atSymbol(reader, '(')
    const hint = called ? 'write it like unitPrice with sum as total, or $count as n' : HOW_TO_AGGREGATE
    throw unexpectedToken(reader, 'with and a method after the field', {
      hint: isCount(field) ? 'write count as n' : hint,
    })
  }
  advance(reader)
  const method = parseMethod(reader)
  const alias = parseAlias(reader)
  return { kind: 'value', method, field, alias, span: { start, end: reader.end } }
}

const isCount = ({ names: [only, second] }: FieldPath): boolean =>
  second === undefined && only !== undefined && !only.quoted && only.name.toLowerCase() === 'count'

const HOW_TO_AGGREGATE = 'write it like unitPrice with sum as total'

function parseMethod(reader: TokenReader): AggregateMethod {
  const { token } = reader
  if (token.kind !== 'word') throw unexpectedToken(reader, 'a method such as sum after with')
  const method = aggregateMethods.find((name) => name === token.lower)
  if (method === undefined) {
    const advice = otherMethods.get(token.lower) ?? nearestMethod(token.lower)
    throw unknownMethod(here(reader), token.text, aggregateMethods, advice)
  }
  advance(reader)
  return method
}

const otherMethods: ReadonlyMap<string, string> = new Map([
  ['avg', 'did you mean average?'],
  ['mean', 'did you mean average?'],
  ['total', 'did you mean sum?'],
  ['distinct', 'did you mean countdistinct?'],
  ['count', 'write $count as n, or countdistinct'],
])

function nearestMethod(name: string): string | null {
  const nearest = closest(name, aggregateMethods)
  return nearest === undefined ? null : `did you mean ${nearest}?`
}

function parseAlias(reader: TokenReader): PathName {
  if (!atWord(reader, 'as')) throw unexpectedToken(reader, 'as and a name in the answer')
  advance(reader)
  const { names, span } = parsePath(reader, reservedInOrderBy)
  const [name, second] = names
  if (name === undefined || second !== undefined) {
    throw unexpectedToken(
      { ...reader, token: { kind: 'symbol', text: '.', span } },
      'a name without a dot after as',
    )
  }
  return name
}
