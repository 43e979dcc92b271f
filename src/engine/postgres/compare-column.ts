/** Compares a column with typed literals, as SQL. What no value of the column can satisfy is `false`. */
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { Comparand, Comparison } from '../../query/plan/plan-nodes.ts'
import type { Parameters } from './parameters.ts'
import {
  compareWith,
  itself,
  type Place,
  placeOfAmount,
  placeOfInstant,
  placeOfInteger,
  placeOfNumber,
  placeOfText,
} from './places.ts'
import type { SqlColumn } from './stored-columns.ts'

const MS_PER_DAY = 86_400_000
const MS_PER_MINUTE = 60_000

export function compareColumn(
  column: SqlColumn,
  comparison: Comparison,
  comparand: Comparand,
  parameters: Parameters,
): string {
  if (column.type === 'boolean') return oneOfTruths(column, truthsOf(comparison, comparand))
  if (comparand.as === 'boolean')
    return oneOfTexts(column, truthTexts(comparison, comparand.value), parameters)
  if (comparand.as === 'text' && comparand.text !== undefined && column.type === 'text')
    return compareBoth(column, comparison, { ...comparand, text: comparand.text }, parameters)
  const tests = testsOf(column, comparand).map(({ left, place, unless }) =>
    guarded(unless, compareWith(left, comparison, place, parameters)),
  )
  return anyOf(tests)
}

/** The folded text first, and the text itself where that decides nothing. */
function compareBoth(
  { folded, value }: SqlColumn,
  comparison: Comparison,
  { folded: foldedText, text }: { readonly folded: string; readonly text: string },
  parameters: Parameters,
): string {
  const [first, second] = [placeOfText(foldedText), placeOfText(text)]
  // What the database cannot hold equals nothing in it.
  if (!first.isItself || !second.isItself) return compareWith(folded, comparison, first, parameters)
  const literals = `${parameters.add(foldedText, 'text')}, ${parameters.add(text, 'text')}`
  return `(${folded}, ${value}) ${itself[comparison]} (${literals})`
}

/** Equal to one of the comparands. */
export function oneOfColumn(
  column: SqlColumn,
  comparands: readonly Comparand[],
  parameters: Parameters,
): string {
  if (column.type === 'boolean') {
    return oneOfTruths(
      column,
      [true, false].filter((truth) => comparands.some((each) => truthsOf('eq', each).includes(truth))),
    )
  }
  /** The values that are tested in the same way become one list. */
  const lists = new Map<string, { test: Test; values: (string | number)[] }>()
  const truths: string[] = []
  for (const comparand of comparands) {
    if (comparand.as === 'boolean') truths.push(...truthTexts('eq', comparand.value))
    for (const test of comparand.as === 'boolean' ? [] : testsOf(column, comparand)) {
      if (!test.place.isItself) continue
      const way = `${test.left} ${test.unless}`
      const list = lists.get(way) ?? { test, values: [] }
      list.values.push(test.place.value)
      lists.set(way, list)
    }
  }
  const conditions = [...lists.values()].map(({ test: { left, unless, place }, values }) =>
    guarded(unless, `${left} = any(${parameters.add(values as string[], `${place.type}[]`)})`),
  )
  return anyOf(truths.length === 0 ? conditions : [...conditions, oneOfTexts(column, truths, parameters)])
}

/** A comparison of one form of the column with the literal. It does not apply where the form `unless` is not null. */
type Test = { readonly left: string; readonly place: Place; readonly unless: string | null }

function testsOf(
  { type, value, folded, parsed }: SqlColumn,
  comparand: Exclude<Comparand, { readonly as: 'boolean' }>,
): readonly Test[] {
  const asText = (text: string, unless: string | null = null): Test => ({
    left: folded,
    place: placeOfText(text),
    unless,
  })
  switch (comparand.as) {
    case 'text':
      return [asText(comparand.folded)]
    case 'number':
    case 'number-or-text': {
      const texts = (unless: string | null = null) =>
        comparand.as === 'number' ? [] : [asText(comparand.folded, unless)]
      if (parsed !== null) {
        return [
          { left: parsed.number, place: placeOfNumber(comparand.value), unless: null },
          ...texts(parsed.number),
        ]
      }
      if (type === 'integer') return [{ left: value, place: placeOfInteger(comparand.value), unless: null }]
      if (type === 'decimal') return [{ left: value, place: placeOfAmount(comparand.value), unless: null }]
      return texts()
    }
    case 'instant':
    case 'instant-or-text': {
      const { instant } = comparand
      const texts = (unless: string | null = null) =>
        comparand.as === 'instant' ? [] : [asText(comparand.folded, unless)]
      if (parsed !== null) {
        return [
          { left: parsed.instant, place: placeOfInstant(instant, 1), unless: null },
          ...texts(parsed.instant),
        ]
      }
      if (type === 'date') return [{ left: value, place: placeOfInstant(instant, MS_PER_DAY), unless: null }]
      if (type === 'minute') {
        return [{ left: value, place: placeOfInstant(instant, MS_PER_MINUTE), unless: null }]
      }
      return texts()
    }
  }
}

const guarded = (unless: string | null, condition: string): string =>
  unless === null || condition === 'false' ? condition : `(${unless} is null and ${condition})`

function anyOf(conditions: readonly string[]): string {
  const possible = conditions.filter((condition) => condition !== 'false')
  return possible.length === 0 ? 'false' : `(${possible.join(' or ')})`
}

const outcomes: { readonly [C in Comparison]: (order: number) => boolean } = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
}

/** The truth values that satisfy a comparison. */
export function truthsOf(comparison: Comparison, comparand: Comparand): readonly boolean[] {
  return [true, false].filter((truth) => {
    if (comparand.as === 'boolean') return outcomes[comparison](Number(truth) - Number(comparand.value))
    if (comparand.as === 'number' || comparand.as === 'instant') return false
    return outcomes[comparison](compareCodePoints(fold(String(truth)), comparand.folded))
  })
}

function oneOfTruths({ value }: SqlColumn, truths: readonly boolean[]): string {
  if (truths.length === 2) return `${value} is not null`
  if (truths.length === 0) return 'false'
  return truths[0] ? value : `not ${value}`
}

const truthTexts = (comparison: Comparison, value: boolean): readonly string[] =>
  truthsOf(comparison, { as: 'boolean', value }).map(String)

/** Only texts are compared with truth values. */
const oneOfTexts = (
  { parsed, folded }: SqlColumn,
  texts: readonly string[],
  parameters: Parameters,
): string =>
  parsed === null || texts.length === 0 ? 'false' : `${folded} = any(${parameters.add(texts, 'text[]')})`
