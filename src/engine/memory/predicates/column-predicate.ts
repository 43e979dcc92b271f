/**
 * A predicate on a single column, and its answer in terms of stored values: a set of values, or a test when the predicate is
 * about the text form of the values.
 */
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { Ranges } from '../ranges.ts'

export type ColumnPredicate = Extract<Predicate, { readonly column: unknown }>

export type WantedValues = WantedRanges | WantedTest | WantedTextTest

/** Values in one of the ranges, and nulls when `orNull` is true. */
export type WantedRanges = { readonly kind: 'ranges'; readonly ranges: Ranges; readonly orNull: boolean }

/** Values that pass the test; never called for a null. */
export type WantedTest = { readonly kind: 'test'; readonly passes: (value: number) => boolean }

/** Values whose text form passes the test; never called for a null. */
export type WantedTextTest = { readonly kind: 'text-test'; readonly passes: (text: string) => boolean }

export const valuesIn = (ranges: Ranges, orNull = false): WantedRanges => ({ kind: 'ranges', ranges, orNull })

export const valuesPassing = (passes: (value: number) => boolean): WantedTest => ({ kind: 'test', passes })

export const textsPassing = (passes: (text: string) => boolean): WantedTextTest => ({
  kind: 'text-test',
  passes,
})

export const onlyNull: WantedRanges = { kind: 'ranges', ranges: [], orNull: true }
