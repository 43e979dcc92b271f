/**
 * Types a literal for the column that it is compared with: the table above {@link Comparand}, design 6.5. Null has no
 * comparand; callers handle it before.
 */
import { parseInstant, withoutOffset } from '../../kernel/calendar.ts'
import { type Decimal, formatDecimal, hasModestExponent, parseDecimal } from '../../kernel/decimal.ts'
import { fold } from '../../kernel/text.ts'
import { isUtc } from '../../schema/field.ts'
import type { Literal } from '../ast.ts'
import type { ColumnRef, Comparand } from '../bound-query.ts'

export type ValueLiteral = Exclude<Literal, { kind: 'null' }>

/** Undefined for a literal that does not fit the column. */
export function comparandFor(literal: ValueLiteral, column: ColumnRef): Comparand | undefined {
  if (column.kind === 'custom') return forLabel(literal, column)
  switch (column.type) {
    case 'text':
      return forText(literal)
    case 'date':
    case 'minute':
      return forTime(literal, column)
    case 'integer':
    case 'decimal':
      return forNumber(literal)
    case 'boolean':
      return forBoolean(literal)
  }
}

/** The literal determines the type, because values of labels are free text. */
function forLabel(literal: ValueLiteral, column: ColumnRef): Comparand {
  switch (literal.kind) {
    case 'boolean':
      return { as: 'boolean', value: literal.value }
    case 'number':
      return { as: 'number-or-text', value: decimalOf(literal.text), folded: fold(literal.text) }
    case 'text': {
      const folded = fold(literal.value)
      const instant = parseInstant(literal.value)
      return instant === undefined || localTimeIn(literal, column) !== undefined
        ? { as: 'text', folded }
        : { as: 'instant-or-text', instant, folded }
    }
  }
}

function forText(literal: ValueLiteral): Comparand | undefined {
  switch (literal.kind) {
    case 'text':
      return { as: 'text', folded: fold(literal.value) }
    case 'number':
      return { as: 'number', value: decimalOf(literal.text) }
    case 'boolean':
      return undefined
  }
}

function forTime(literal: ValueLiteral, column: ColumnRef): Comparand | undefined {
  const instant = literal.kind === 'text' ? parseInstant(literal.value) : undefined
  if (localTimeIn(literal, column) !== undefined) return undefined
  return instant === undefined ? undefined : { as: 'instant', instant }
}

/**
 * The literal without its offset, where it has one other than zero and the values of the column have none: what a local time
 * is in UTC is not known, so the two cannot be compared. Undefined where they can.
 */
export function localTimeIn(literal: ValueLiteral, column: ColumnRef): string | undefined {
  if (literal.kind !== 'text' || takesOffset(column) || parseInstant(literal.value) === undefined)
    return undefined
  const isTime = column.kind === 'custom' || column.type === 'date' || column.type === 'minute'
  return isTime ? withoutOffset(literal.value) : undefined
}

export const takesOffset = (column: ColumnRef): boolean => column.kind === 'field' && isUtc(column.name)

/** Numeric text is a text with the form of a number literal, and with its limits. */
function forNumber(literal: ValueLiteral): Comparand | undefined {
  if (literal.kind === 'number') return { as: 'number', value: decimalOf(literal.text) }
  if (literal.kind === 'boolean') return undefined
  const value = hasModestExponent(literal.value) ? parseDecimal(literal.value) : undefined
  return value === undefined ? undefined : { as: 'number', value }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function forBoolean(literal: ValueLiteral): Comparand | undefined {
  const value = truths.get(writtenTruth(literal))
  return value === undefined ? undefined : { as: 'boolean', value }
}

/** `1.0` is written as `1`. */
function writtenTruth(literal: ValueLiteral): string {
  switch (literal.kind) {
    case 'boolean':
      return String(literal.value)
    case 'number':
      return formatDecimal(decimalOf(literal.text))
    case 'text':
      return fold(literal.value)
  }
}

function decimalOf(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === undefined) throw new RangeError(`A parser let '${text}' pass as a number`)
  return value
}
