/**
 * What a filter asks of daily counts (`daily-counts.ts`): a range of days, and a condition on the columns that have few values.
 * Enters: the predicate of a plan. Refused with null: what those columns and days do not decide. Such a filter is counted by the
 * database.
 */
import type { Comparand, Predicate } from '../../../query/plan/plan-nodes.ts'
import { type StoredName, storedCollections } from '../../../schema/datasets.ts'
import type { Field } from '../../../schema/field.ts'
import { orderDate } from '../../../snapshot/postgres/record-indexes.ts'
import { compareColumn, truthsOf } from '../compare-column.ts'
import { Parameters } from '../parameters.ts'
import { placeOfInstant } from '../places.ts'
import { fieldColumn } from '../stored-columns.ts'

/** Days since 1970-01-01, `to` not included. Either may be infinite. */
type Days = { readonly from: number; readonly to: number }

/** A value of each counted column, in their order; texts are folded. */
export type GroupValues = readonly (string | boolean | null)[]

export type DayQuestion = Days & {
  readonly holds: (values: GroupValues) => boolean
  /** How many values `holds` compares at most. */
  readonly comparisons: number
}

/** Texts of which a client has few, besides the truth values. */
const fewTexts: { readonly [Name in StoredName]: readonly string[] } = {
  bookings: ['originatingAgency'],
  invoices: ['company'],
  'bookings-v1': ['originatingAgency'],
  'invoices-v1': [],
}

/** The columns by whose values the records of each day are counted. */
export function countedColumns(stored: StoredName): readonly Field[] {
  const known = counted.get(stored)
  if (known !== undefined) return known
  const columns = storedCollections[stored].fields.filter(
    ({ name, type }) => type === 'boolean' || fewTexts[stored].includes(name),
  )
  counted.set(stored, columns)
  return columns
}

const counted = new Map<StoredName, readonly Field[]>()

export function dayQuestionOf(where: Predicate, stored: StoredName): DayQuestion | null {
  let [from, to] = [-Infinity, Infinity]
  const tests: Test[] = []
  for (const operand of where.kind === 'and' ? where.operands : [where]) {
    const days = daysOf(operand, orderDate(stored))
    if (days !== null) {
      from = Math.max(from, days.from)
      to = Math.min(to, days.to)
      continue
    }
    const test = testOf(operand, countedColumns(stored))
    if (test === null) return null
    tests.push(test)
  }
  const comparisons = tests.reduce((sum, test) => sum + test.comparisons, 0)
  return { from, to, holds: (values) => tests.every(({ holds }) => holds(values)), comparisons }
}

const MS_PER_DAY = 86_400_000

function daysOf(predicate: Predicate, date: string): Days | null {
  if (predicate.kind !== 'compare') return null
  const { column, comparison, comparand } = predicate
  if (column.kind !== 'field' || column.name !== date || comparand.as !== 'instant') return null
  const { value, isItself } = placeOfInstant(comparand.instant, MS_PER_DAY)
  const day = Number(value)
  switch (comparison) {
    case 'eq':
      return { from: day, to: isItself ? day + 1 : day }
    case 'lt':
      return { from: -Infinity, to: isItself ? day : day + 1 }
    case 'le':
      return { from: -Infinity, to: day + 1 }
    case 'gt':
      return { from: day + 1, to: Infinity }
    case 'ge':
      return { from: isItself ? day : day + 1, to: Infinity }
  }
}

type Test = Pick<DayQuestion, 'holds' | 'comparisons'>

const oneTest = (holds: Test['holds']): Test => ({ holds, comparisons: 1 })

function testOf(predicate: Predicate, columns: readonly Field[]): Test | null {
  switch (predicate.kind) {
    case 'constant':
      return oneTest(() => predicate.value)
    case 'and':
    case 'or': {
      const tests = predicate.operands.map((operand) => testOf(operand, columns))
      if (!tests.every((test) => test !== null)) return null
      return {
        holds:
          predicate.kind === 'and'
            ? (values) => tests.every(({ holds }) => holds(values))
            : (values) => tests.some(({ holds }) => holds(values)),
        comparisons: tests.reduce((sum, { comparisons }) => sum + comparisons, 1),
      }
    }
    case 'not': {
      const test = testOf(predicate.operand, columns)
      return test === null ? null : { ...test, holds: (values) => !test.holds(values) }
    }
    case 'is-null': {
      const place = placeOf(predicate, columns)
      return place === -1 ? null : oneTest((values) => values[place] === null)
    }
    case 'compare':
      return comparisonOf(predicate, columns)
    case 'one-of':
      return oneOf(predicate, columns)
    case 'match':
    case 'any':
      return null
  }
}

const placeOf = (
  { column }: Extract<Predicate, { readonly kind: 'is-null' | 'compare' | 'one-of' }>,
  columns: readonly Field[],
): number => (column.kind === 'custom' ? -1 : columns.findIndex(({ name }) => name === column.name))

function comparisonOf(
  predicate: Extract<Predicate, { readonly kind: 'compare' }>,
  columns: readonly Field[],
): Test | null {
  const { column, comparison, comparand } = predicate
  const place = placeOf(predicate, columns)
  if (place === -1) return isNeverEqual(predicate) ? oneTest(() => false) : null
  if (column.type === 'boolean') return isAmong(place, truthsOf(comparison, comparand))
  return comparison === 'eq' && comparand.as === 'text' ? isAmong(place, [comparand.folded]) : null
}

/** Whether no value of a column can equal the literal, such as a moment between two minutes. */
const isNeverEqual = ({
  column,
  comparison,
  comparand,
}: Extract<Predicate, { readonly kind: 'compare' }>): boolean =>
  column.kind === 'field' &&
  comparison === 'eq' &&
  comparand.as === 'instant' &&
  compareColumn(
    fieldColumn('f', { ...column, nullable: true, maxLength: undefined }),
    comparison,
    comparand,
    new Parameters(),
  ) === 'false'

function oneOf(
  predicate: Extract<Predicate, { readonly kind: 'one-of' }>,
  columns: readonly Field[],
): Test | null {
  const { column, comparands, orNull } = predicate
  const place = placeOf(predicate, columns)
  if (place === -1) return null
  if (column.type !== 'boolean' && !comparands.every(isText)) return null
  const values = comparands.flatMap((comparand): readonly (string | boolean)[] =>
    column.type === 'boolean' ? truthsOf('eq', comparand) : isText(comparand) ? [comparand.folded] : [],
  )
  return isAmong(place, orNull ? [...values, null] : values)
}

const isText = (comparand: Comparand): comparand is Extract<Comparand, { readonly as: 'text' }> =>
  comparand.as === 'text'

const isAmong = (place: number, wanted: GroupValues): Test => ({
  holds: (values) => wanted.includes(values[place] ?? null),
  comparisons: Math.max(1, wanted.length),
})
