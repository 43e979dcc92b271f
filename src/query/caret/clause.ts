/**
 * One parsed clause of a version 1 query: property and value are text, the operator is known and has a value of the right
 * form. {@link desugarClauses} checks that the record has the property.
 */

/** In the order of the specification's table (4.2). */
export const caretOperators = ['EQ', 'NE', 'GT', 'LT', 'GE', 'LE', 'IN', 'NI', 'CT'] as const

export type CaretOperator = (typeof caretOperators)[number]
type ListOperator = 'IN' | 'NI'
export type OrderOperator = 'GT' | 'LT' | 'GE' | 'LE'

/** The property as the caller wrote it, and the operator, for messages about a value. */
export type Subject = { readonly property: string; readonly operator: CaretOperator }

export type Clause =
  /** `Traveller^EQAnna Smith`; the value is never empty and has no blanks around it. */
  | {
      readonly property: string
      readonly operator: Exclude<CaretOperator, ListOperator>
      readonly value: string
    }
  /** `Department^INSales,Legal`; one item or more, none of them empty. */
  | { readonly property: string; readonly operator: ListOperator; readonly items: readonly string[] }
