/**
 * Types a value by the property that it is compared with (specification 4.2, rules 4 to 7); in `$filter` the literal itself
 * determines its type. Refuses values that the property cannot have.
 */
import { parseDate } from '../../kernel/calendar.ts'
import { hasModestExponent, parseDecimal } from '../../kernel/decimal.ts'
import type { FieldType } from '../../schema/field.ts'
import type { Literal } from '../ast.ts'
import type { Subject } from './clause.ts'
import { notBoolean, notNumericOrDate } from './problems.ts'

/** The span of every node of version 1, whose messages name the property instead of a column. */
export const nowhere = { start: 0, end: 0 }

/** @throws Problem QRY404 where a number or a date is needed, QRY407 where a boolean is */
export function literalFor(value: string, type: FieldType, subject: Subject): Literal {
  switch (type) {
    case 'text':
      return { kind: 'text', value, span: nowhere }
    case 'date':
    case 'minute':
      if (parseDate(value) === undefined) throw notNumericOrDate(subject, value)
      return { kind: 'text', value, span: nowhere }
    case 'integer':
    case 'decimal':
      if (!isNumber(value)) throw notNumericOrDate(subject, value)
      return { kind: 'number', text: value, span: nowhere }
    case 'boolean': {
      const truth = truths.get(value.toLowerCase())
      if (truth === undefined) throw notBoolean(subject, value)
      return { kind: 'boolean', value: truth, span: nowhere }
    }
  }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The keyword of EQ, NE, IN and NI. */
export const isNull = (value: string): boolean => value.toLowerCase() === 'null'

/** Accepts the number literals of `$filter`: `12`, `-0.5`, `1e3`; refuses exponents beyond 9999. */
export const isNumber = (value: string): boolean =>
  parseDecimal(value) !== undefined && hasModestExponent(value)
