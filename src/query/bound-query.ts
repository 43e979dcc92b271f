/**
 * A bound query: the output of binding and the input of planning. Names are columns, every literal is typed for its column,
 * and derived operators are replaced: `ne` by `not eq`, `nin` by `not in`, `all` by `not any not`, a path into a collection by
 * `any`. Plain data, so that queries of two languages can be compared.
 */
import type { Decimal } from '../kernel/decimal.ts'
import type { CollectionName, DatasetName } from '../schema/datasets.ts'
import type { FieldType } from '../schema/field.ts'
import type { Paging, TextFunction } from './ast.ts'
import type { RecordShape } from './record-shape.ts'

/** A column of the record, of the elements of one of its collections, or of its custom data. */
export type ColumnRef =
  | { readonly kind: 'field'; readonly name: string; readonly type: FieldType }
  /** A label of the client. Labels that the client does not have never become columns. */
  | { readonly kind: 'custom'; readonly label: string; readonly type: 'text' }

/**
 * The typed right side of a comparison, by literal and column type (design 6.5):
 *
 * | literal                  | text field | label           | date, minute | integer, decimal | boolean |
 * |--------------------------|------------|-----------------|--------------|------------------|---------|
 * | number                   | number     | number-or-text  |              | number           |         |
 * | 1, 0                     | number     | number-or-text  |              | number           | boolean |
 * | boolean                  |            | boolean         |              |                  | boolean |
 * | text, a date             | text       | instant-or-text | instant      |                  |         |
 * | text, a number           | text       | text            |              | number           |         |
 * | text, true false 1 0     | text       | text            |              | (1 0) number     | boolean |
 * | other text               | text       | text            |              |                  |         |
 *
 * Binding refuses the rest, because a wrong answer that looks right is worse than none. Labels take every literal, because
 * their values are free text. An engine may meet any comparand in any column.
 */
export type Comparand =
  /**
   * Compares folded text forms by code point. With `text`, which `gt` and `lt` have, texts whose folded forms are equal to it are
   * compared with it as it is, in the order by which records are sorted: `gt` of the last text of a page gives the next one.
   */
  | { readonly as: 'text'; readonly folded: string; readonly text?: string }
  /** Compares exactly, as decimals. In a text field, a text that does not parse as a number matches nothing. */
  | { readonly as: 'number'; readonly value: Decimal }
  /** A text that parses as a number compares as one; any other text compares with the folded digits as they were written. */
  | { readonly as: 'number-or-text'; readonly value: Decimal; readonly folded: string }
  /** Compares chronologically, in milliseconds since 1970-01-01 UTC. */
  | { readonly as: 'instant'; readonly instant: number }
  /** A text that parses as a date or date-time compares as one; any other text compares as folded text. */
  | { readonly as: 'instant-or-text'; readonly instant: number; readonly folded: string }
  /** The field's own truth value, or the text `true`/`false`; any other text matches nothing. False is before true. */
  | { readonly as: 'boolean'; readonly value: boolean }

/** The comparisons of bound queries, which have `not eq` instead of `ne`. */
export type Comparison = 'eq' | 'gt' | 'ge' | 'lt' | 'le'

/** Two-valued: a null field compared with a non-null literal is false, and `not` turns that into true (design 6.6). */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Predicate[] }
  | { readonly kind: 'not'; readonly operand: Predicate }
  | { readonly kind: 'is-null'; readonly column: ColumnRef }
  | {
      readonly kind: 'compare'
      readonly column: ColumnRef
      readonly comparison: Comparison
      readonly comparand: Comparand
    }
  /** Equal to one of the comparands, or null where `orNull`. */
  | {
      readonly kind: 'one-of'
      readonly column: ColumnRef
      readonly comparands: readonly Comparand[]
      readonly orNull: boolean
    }
  /** The folded text form of a non-null field contains, begins with or ends with the folded text. */
  | {
      readonly kind: 'match'
      readonly column: ColumnRef
      readonly function: TextFunction
      readonly folded: string
    }
  /** Some element satisfies the condition, whose columns are those of the element; null: the collection is not empty. */
  | {
      readonly kind: 'any'
      readonly collection: CollectionName
      readonly condition: Predicate | null
    }

/** Null is the greatest value; texts are in the order of `kernel/text.ts`; equal rows keep the default order. */
export type SortKey = { readonly column: ColumnRef; readonly descending: boolean }

export type BoundQuery = {
  readonly dataset: DatasetName
  /** Null keeps every record. */
  readonly where: Predicate | null
  /** Every engine appends the default order of the dataset. */
  readonly orderBy: readonly SortKey[]
  /** Null returns every record. */
  readonly paging: Paging | null
  /** The members that the records have; null: the record as specified. */
  readonly select: RecordShape | null
}
