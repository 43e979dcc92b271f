/** Values between the inputs of the builder, which have texts, and filters, which have literals. */
import type { Literal } from '../../../../src/query/ast.ts'
import type { FieldKind } from './filter-fields.ts'
import { numberLiteral, textLiteral } from './filter-tree.ts'

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/

/** No literal where the text is no value of the kind yet. */
export function literalOf(text: string, kind: FieldKind): readonly Literal[] {
  if (kind === 'integer' || kind === 'decimal') {
    const number = text.trim()
    return NUMBER.test(number) ? [numberLiteral(number)] : []
  }
  return text === '' ? [] : [textLiteral(text)]
}

export function textOf(literal: Literal): string {
  switch (literal.kind) {
    case 'text':
      return literal.value
    case 'number':
      return literal.text
    case 'boolean':
      return String(literal.value)
    case 'null':
      return ''
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

/** An input for days takes days only, so a value that has a time or an offset gets one that shows it as it is. */
export function inputTypeOf(kind: FieldKind, text: string): 'date' | 'datetime-local' | 'text' {
  if (kind !== 'date' && kind !== 'minute') return 'text'
  if (text === '' || DAY.test(text)) return 'date'
  return MINUTE.test(text) ? 'datetime-local' : 'text'
}
