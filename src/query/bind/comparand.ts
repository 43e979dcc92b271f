/**
 * Types a literal for the column that it is compared with: the table above {@link Comparand}, design 6.5. Null has no
 * comparand; callers handle it before.
 */
import { parseInstant } from '../../kernel/calendar.ts'
import { formatDecimal, parseDecimal } from '../../kernel/decimal.ts'
import { fold } from '../../kernel/text.ts'
import type { FieldType } from '../../schema/field.ts'
import type { Literal } from '../ast.ts'
import type { Comparand } from '../bound-query.ts'

/** Undefined when no value of the column can be compared with the literal: a boolean with a date or a number. */
export function comparandFor(
  literal: Exclude<Literal, { kind: 'null' }>,
  type: FieldType,
): Comparand | undefined {
  switch (literal.kind) {
    case 'boolean':
      return type === 'text' || type === 'boolean' ? { as: 'boolean', value: literal.value } : undefined
    case 'number':
      return numberComparand(literal.text, type)
    case 'text':
      return textComparand(literal.value, type, literal.verbatim === true)
  }
}

function numberComparand(text: string, type: FieldType): Comparand {
  const value = parseDecimal(text)
  if (value === undefined) throw new RangeError(`A parser let '${text}' pass as a number`)
  if (type === 'integer' || type === 'decimal') return { as: 'number', value }
  const folded = fold(formatDecimal(value))
  return type === 'text' ? { as: 'number-or-text', value, folded } : { as: 'text', folded }
}

function textComparand(text: string, type: FieldType, verbatim: boolean): Comparand {
  const folded = fold(text)
  switch (type) {
    case 'text': {
      const instant = verbatim ? undefined : parseInstant(text)
      return instant === undefined ? { as: 'text', folded } : { as: 'instant-or-text', instant, folded }
    }
    case 'date':
    case 'minute': {
      const instant = parseInstant(text)
      return instant === undefined ? { as: 'text', folded } : { as: 'instant', instant }
    }
    case 'integer':
    case 'decimal': {
      const value = parseDecimal(text)
      return value === undefined ? { as: 'text', folded } : { as: 'number', value }
    }
    case 'boolean':
      return { as: 'text', folded }
  }
}
