/**
 * Makes the payments of an invoice. Card numbers are the well-known test numbers of the card schemes: they pass the checksum
 * and belong to no card.
 */

import type { Payment } from '../extract-rows.ts'
import type { Sale } from './booking.ts'
import { roundToCents } from './line-amounts.ts'
import type { Random } from './random.ts'

export function paymentsOf(
  random: Random,
  sale: Sale,
  invoiceDate: number,
  total: number,
): readonly Payment[] {
  if (sale.nothingKnown) return [{ ...unknownMeans, amount: total }]
  const partly = sale.occurs('part-payment', 0.05)
  if (!partly && (total === 0 || random.chance(0.2))) return []
  const { formOfPayment, cardNumber } = random.pickEarly(means)
  const received = invoiceDate + (cardNumber === null ? random.between(3, 40) : 0)
  return [
    {
      receivedDate: received > sale.lastDay ? null : received,
      formOfPayment,
      cardNumber,
      merchant: cardNumber === null ? null : sale.client.agency,
      cardHolder: cardNumber === null ? null : (sale.travellers[0]?.name ?? null),
      amount: partly ? roundToCents(total * 0.4) : total,
    },
  ]
}

const unknownMeans: Omit<Payment, 'amount'> = {
  merchant: null,
  receivedDate: null,
  formOfPayment: null,
  cardNumber: null,
  cardHolder: null,
}

const means: readonly Pick<Payment, 'formOfPayment' | 'cardNumber'>[] = [
  { formOfPayment: 'VISA', cardNumber: '4111111111111111' },
  { formOfPayment: 'EFT', cardNumber: null },
  { formOfPayment: 'AMEX', cardNumber: '378282246310005' },
  { formOfPayment: 'MASTERCARD', cardNumber: '5555555555554444' },
  { formOfPayment: 'DIRECT DEBIT', cardNumber: null },
  { formOfPayment: 'DINERS', cardNumber: '30569309025904' },
  { formOfPayment: 'CASH', cardNumber: null },
]
