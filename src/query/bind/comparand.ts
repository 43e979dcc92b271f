/**
 * Types a literal for the column that it is compared with: the table above {@link Comparand}, design 6.5. Null has no
 * comparand; callers handle it before.
 */
import { parseInstant } from '../../kernel/calendar.ts'
import { type Decimal, formatDecimal, hasModestExponent, parseDecimal } from '../../kernel/decimal.ts'
import { fold } from '../../kernel/text.ts'
import type { Literal } from '../ast.ts'
import type { ColumnRef, Comparand } from '../bound-query.ts'

export type ValueLiteral = Exclude<Literal, { kind: 'null' }>

/** Undefined for a literal that does not fit the column. */
export function comparandFor(literal: ValueLiteral, column: ColumnRef): Comparand | undefined {
  if (column.kind === 'custom') return forLabel(literal)
  switch (column.type) {
    case 'text':
      return forText(literal)
    case 'date':
    case 'minute':
      return forTime(literal)
    case 'integer':
    case 'decimal':
      return forNumber(literal)
    case 'boolean':
      return forBoolean(literal)
  }
}

/** The literal determines the type, because values of labels are free text. */
function forLabel(literal: ValueLiteral): Comparand {
  switch (literal.kind) {
    case 'boolean':
      return { as: 'boolean', value: literal.value }
    case 'number':
      return { as: 'number-or-text', value: decimalOf(literal.text), folded: fold(literal.text) }
    case 'text': {
      const instant = parseInstant(literal.value)
      const folded = fold(literal.value)
      return instant === undefined ? { as: 'text', folded } : { as: 'instant-or-text', instant, folded }
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

function forTime(literal: ValueLiteral): Comparand | undefined {
  const instant = literal.kind === 'text' ? parseInstant(literal.value) : undefined
  return instant === undefined ? undefined : { as: 'instant', instant }
}

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
