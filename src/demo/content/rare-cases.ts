/**
 * The cases that even a small extract must show at least once. The n-th booking is steered to the n-th case of the list; all
 * bookings after the list get cases by chance.
 */

import type { Random } from './random.ts'

export const tripShapes = [
  'domestic-return',
  'international-return',
  'connecting-flights',
  'multi-city',
  'domestic-one-way',
  'rail-within-country',
  'rail-across-border',
  'hotel-only',
  'car-only',
] as const

export type TripShape = (typeof tripShapes)[number]

const otherCases = [
  'nothing-known',
  'not-invoiced',
  'invoiced-twice',
  'invoice-without-booking',
  'sister-company',
  'second-sister-company',
  'credit-note',
  'partial-refund',
  'discount',
  'discounted-fare',
  'smallest-price',
  'five-decimals',
  'part-payment',
  'wholly-cancelled',
  'segment-cancelled',
  'status-HX',
  'status-UN',
  'status-WL',
  'not-ticketed',
  'no-segments',
  'gap-in-segment-numbers',
  'several-travellers',
  'blank-custom-value',
  'never-modified',
] as const

export type RareCase = TripShape | (typeof otherCases)[number]

export const rareCases: readonly RareCase[] = [...tripShapes, ...otherCases]

/** Decides whether a case occurs in the current booking: with the given probability, unless the booking is steered. */
export type Occurs = (rareCase: RareCase, probability: number) => boolean

/** A steered booking shows its own case and no other, so that no case hides another. */
export function occurrence(random: Random, bookingNumber: number): Occurs {
  const steeredTo = rareCases[bookingNumber]
  if (steeredTo !== undefined) return (rareCase) => rareCase === steeredTo
  return (_, probability) => random.chance(probability)
}
