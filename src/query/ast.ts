/**
 * The unbound query, shared by both query languages: names are text and literals are as written. Every node has its span of
 * the source text, so that problems of binding can point at it.
 */
import type { Span } from '../kernel/span.ts'

/** `'Sydney'`, `-1.5e3`, `true`, `null`. Text is unescaped; a number keeps its digits exactly as written. */
export type Literal =
  | { readonly kind: 'text'; readonly value: string; readonly span: Span }
  | { readonly kind: 'number'; readonly text: string; readonly span: Span }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly span: Span }
  | { readonly kind: 'null'; readonly span: Span }

/** `lineItems.lineType` and `customDataFields['Cost centre']` have two names each. */
export type FieldPath = { readonly names: readonly PathName[]; readonly span: Span }

/** `quoted` names are written in `['...']`, where reserved words and special characters are allowed. */
export type PathName = { readonly name: string; readonly quoted: boolean; readonly span: Span }

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
export type TextFunction = 'contains' | 'startswith' | 'endswith'

export type Expr =
  /** `a eq 1 and b eq 2 and c eq 3` is one node with three operands. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expr[]; readonly span: Span }
  /** `not isTicketed eq true` */
  | { readonly kind: 'not'; readonly operand: Expr; readonly span: Span }
  /** `bookingDate ge '2026-01-01'` */
  | {
      readonly kind: 'compare'
      readonly operator: ComparisonOperator
      readonly field: FieldPath
      readonly literal: Literal
      readonly span: Span
    }
  /** `recordLocator in ('ABC123', null)`; negated: `nin` */
  | {
      readonly kind: 'in'
      readonly negated: boolean
      readonly field: FieldPath
      readonly items: readonly Literal[]
      readonly span: Span
    }
  /** `contains(originatingAgency, 'syd')` */
  | {
      readonly kind: 'match'
      readonly function: TextFunction
      readonly field: FieldPath
      readonly text: string
      readonly span: Span
    }
  /** `any(lineItems, lineType eq 'FARE')`, `all(segments, status eq 'HK')`; `any(lineItems)` has no condition. */
  | {
      readonly kind: 'quantifier'
      readonly quantifier: 'any' | 'all'
      readonly collection: FieldPath
      readonly condition: Expr | null
      readonly span: Span
    }

/** `bookingDate desc` */
export type Ordering = { readonly field: FieldPath; readonly direction: 'asc' | 'desc' }

/** The requested part of the result: how many records to skip, and the most to return. */
export type Paging = { readonly offset: number; readonly limit: number }

/** A parsed query of either language. Names are text. */
export type ParsedQuery = {
  readonly filter: Expr | null
  readonly orderBy: readonly Ordering[]
  readonly paging: Paging | null
  /** The paths of $select; `*`, the record as specified, is a path of that one name. Null without a selection. */
  readonly select: readonly FieldPath[] | null
}
