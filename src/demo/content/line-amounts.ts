/**
 * The arithmetic of one invoice line, in integers scaled by 10^5: quantity times price less discount, rounded to cents,
 * plus its GST rounded to cents.
 */

import { DECIMAL_SCALE } from '../../kernel/decimal.ts'
import type { InvoiceLine } from '../extract-rows.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'

type Charge = {
  readonly lineType: string
  readonly productCode: string
  readonly description: string
  readonly quantity: number
  /** Scaled by 10^5, like the discount. */
  readonly unitPrice: number
  readonly discount?: number
  readonly gstPercent: number | null
  readonly traveller?: Person
  readonly vendorName?: string
  readonly ticketNumber?: string
}

export function charge(charged: Charge): InvoiceLine {
  const { unitPrice, discount = null, gstPercent } = charged
  const quantity = Math.round(charged.quantity * DECIMAL_SCALE)
  const exGst = roundToCents((quantity * unitPrice) / DECIMAL_SCALE - (discount ?? 0))
  return {
    lineType: charged.lineType,
    productCode: charged.productCode,
    description: charged.description,
    quantity,
    unitPrice,
    lineDiscountAmount: discount,
    lineAmountExGst: exGst,
    lineAmountIncGst: exGst + roundToCents((exGst * (gstPercent ?? 0)) / 100),
    gstPercent: gstPercent === null ? null : gstPercent * DECIMAL_SCALE,
    travellerName: charged.traveller?.name ?? null,
    vendorName: charged.vendorName ?? null,
    ticketNumber: charged.ticketNumber ?? null,
    originalTicketNumber: null,
  }
}

/** An amount in whole cents. */
export const money = (random: Random, least: number, most: number): number =>
  Math.round((least + random.next() * (most - least)) * 100) * CENT

export const CENT = DECIMAL_SCALE / 100

/** Rounds half a cent away from zero, for credits as for charges. */
export function roundToCents(scaled: number): number {
  return Math.sign(scaled) * Math.round(Math.abs(scaled) / CENT) * CENT || 0
}

/** A line without any known value. */
export const unknownLine: InvoiceLine = {
  lineType: 'OTHER',
  productCode: null,
  description: null,
  quantity: null,
  unitPrice: null,
  lineDiscountAmount: null,
  lineAmountExGst: null,
  lineAmountIncGst: null,
  gstPercent: null,
  travellerName: null,
  vendorName: null,
  ticketNumber: null,
  originalTicketNumber: null,
}
