/**
 * Makes the lines of an invoice: fares, taxes, hotel nights, cars and fees, with discounts, refunds and credits as negative
 * lines. GST is 10 % within a country and 0 % across borders; where it does not apply, it is null.
 */

import { DECIMAL_SCALE } from '../../kernel/decimal.ts'
import type { InvoiceLine } from '../extract-rows.ts'
import type { Sale } from './booking.ts'
import { CENT, charge, money, roundToCents, unknownLine } from './line-amounts.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Carrier } from './suppliers.ts'

export function saleLines(random: Random, sale: Sale): InvoiceLine[] {
  const { trip, travellers, occurs } = sale
  const lines: InvoiceLine[] = []
  for (const traveller of travellers) {
    if (trip.carrier !== null) lines.push(...airLines(random, sale, traveller, trip.carrier))
    if (trip.railOperator !== null) lines.push(railLine(random, sale, traveller, trip.railOperator))
  }
  if (trip.hotel !== null) lines.push(hotelLine(random, sale, trip.hotel.name))
  if (trip.car !== null) lines.push(carLine(random, sale, trip.car.name))
  lines.push(bookingFee(random, sale))
  if (occurs('discount', 0.03)) lines.push(discountLine(random, sale))
  if (occurs('partial-refund', 0.01)) lines.push(refundLine(random, sale))
  if (occurs('five-decimals', 0.03)) lines.push(carbonLine(random, sale))
  if (occurs('smallest-price', 0.002)) lines.push(roundingLine)
  return lines
}

/** Lines charged to the client without a booking. */
export function serviceLines(random: Random): InvoiceLine[] {
  return [
    charge({
      lineType: 'FEE',
      productCode: 'SVC-MGMT',
      description: random.pick(serviceDescriptions),
      quantity: 1,
      unitPrice: money(random, 150, 2500),
      gstPercent: 10,
    }),
  ]
}

/** Lines of the second invoice of a booking: work done after the first. */
export function extraLines(random: Random, { isInternational }: Sale): InvoiceLine[] {
  return [
    charge({
      lineType: 'FEE',
      productCode: 'CHANGE',
      description: 'Change fee, after hours',
      quantity: 1,
      unitPrice: money(random, 35, 120),
      gstPercent: isInternational ? 0 : 10,
    }),
  ]
}

/** Takes every charge back in full under its own line type; taxes stay taxes, fees are not returned. */
export function creditLines(lines: readonly InvoiceLine[]): InvoiceLine[] {
  return lines.filter(isTakenBack).map((line) => ({
    ...line,
    lineType: line.lineType === 'TAX' ? 'TAX' : 'CREDIT',
    description: line.description === null ? null : `Credit: ${line.description}`,
    quantity: negated(line.quantity),
    lineDiscountAmount: negated(line.lineDiscountAmount),
    lineAmountExGst: negated(line.lineAmountExGst),
    lineAmountIncGst: negated(line.lineAmountIncGst),
  }))
}

/** Discounts and refunds are not charges. */
const isTakenBack = ({ lineType, lineAmountIncGst }: InvoiceLine): boolean =>
  lineType !== 'FEE' && (lineAmountIncGst === null || lineAmountIncGst > 0)

const negated = (scaled: number | null): number | null => (scaled === null ? null : -scaled || 0)

/** The remainder of a currency conversion: too small to round to cents. */
const roundingLine: InvoiceLine = {
  ...unknownLine,
  lineType: 'FEE',
  productCode: 'ROUND',
  description: 'Rounding difference of currency conversion',
  quantity: DECIMAL_SCALE,
  unitPrice: 1,
  lineAmountExGst: 1,
  lineAmountIncGst: 1,
}

function airLines(random: Random, sale: Sale, traveller: Person, carrier: Carrier): InvoiceLine[] {
  const { trip, isInternational, isTicketed, occurs } = sale
  const cabin = random.pickEarly(cabins)
  const base = 70 + trip.kilometres * (isInternational ? 0.075 : 0.11)
  const fare = money(random, base * cabin.factor * 0.7, base * cabin.factor * 1.9)
  const common = {
    quantity: 1,
    traveller,
    vendorName: carrier.name,
    ...(isTicketed ? { ticketNumber: `${carrier.ticketPrefix}-${ticketDigits(random)}` } : {}),
  }
  return [
    charge({
      ...common,
      lineType: 'FARE',
      productCode: `AIR-${cabin.code}`,
      description: `Airfare ${trip.routing}, ${cabin.name}`,
      unitPrice: fare,
      gstPercent: isInternational ? 0 : 10,
      ...(occurs('discounted-fare', 0.06) ? { discount: roundToCents(fare * 0.05) } : {}),
    }),
    charge({
      ...common,
      lineType: 'TAX',
      productCode: 'AIR-TAX',
      description: 'Taxes and airport charges',
      unitPrice: money(random, isInternational ? 90 : 18, isInternational ? 260 : 65),
      gstPercent: null,
    }),
  ]
}

const cabins = [
  { code: 'Y', name: 'Economy', factor: 1 },
  { code: 'Y', name: 'Economy "Flex"', factor: 1.5 },
  { code: 'W', name: 'Premium Economy', factor: 2 },
  { code: 'J', name: 'Business', factor: 3.6 },
] as const

const ticketDigits = (random: Random): string => String(random.between(2_100_000_000, 2_499_999_999))

function railLine(
  random: Random,
  { trip, isInternational }: Sale,
  traveller: Person,
  vendorName: string,
): InvoiceLine {
  return charge({
    lineType: 'FARE',
    productCode: 'RAIL',
    description: `Rail fare ${trip.routing}`,
    quantity: 1,
    unitPrice: money(random, 20 + trip.railMinutes * 0.2, 40 + trip.railMinutes * 0.7),
    gstPercent: isInternational ? 0 : 10,
    traveller,
    vendorName,
  })
}

function hotelLine(
  random: Random,
  { trip, isInternational, travellers }: Sale,
  vendorName: string,
): InvoiceLine {
  return charge({
    lineType: 'HOTEL',
    productCode: 'HTL-ROOM',
    description: `${vendorName}, ${trip.hotelNights} nights`,
    quantity: trip.hotelNights * travellers.length,
    unitPrice: money(random, 120, 460),
    gstPercent: isInternational ? 0 : 10,
    vendorName,
  })
}

/** Cars are charged by half days; fuel and mileage make prices with five decimals. */
function carLine(random: Random, { trip, isInternational }: Sale, vendorName: string): InvoiceLine {
  return charge({
    lineType: 'CAR',
    productCode: 'CAR-HIRE',
    description: `${vendorName} car hire`,
    quantity: trip.carDays,
    unitPrice: Math.round((48 + random.next() * 70) * DECIMAL_SCALE),
    gstPercent: isInternational ? 0 : 10,
    vendorName,
  })
}

function bookingFee(random: Random, { isInternational, travellers }: Sale): InvoiceLine {
  const assisted = random.chance(0.45)
  return charge({
    lineType: 'FEE',
    productCode: assisted ? 'FEE-AGENT' : 'FEE-ONLINE',
    description: assisted ? "Consultant's booking fee" : 'Online booking fee',
    quantity: travellers.length,
    unitPrice: (assisted ? 3850 : 995) * CENT,
    gstPercent: isInternational ? 0 : 10,
  })
}

function discountLine(random: Random, { isInternational }: Sale): InvoiceLine {
  return charge({
    lineType: 'DISCOUNT',
    productCode: 'CORP-DEAL',
    description: 'Corporate agreement, volume discount',
    quantity: 1,
    unitPrice: -money(random, 5, 60),
    gstPercent: isInternational ? 0 : 10,
  })
}

function refundLine(random: Random, { isInternational, trip }: Sale): InvoiceLine {
  return charge({
    lineType: 'REFUND',
    productCode: 'REFUND',
    description: `Refund of unused part, ${trip.routing || 'land services'}`,
    quantity: -1,
    unitPrice: money(random, 25, 180),
    gstPercent: isInternational ? 0 : 10,
  })
}

/** Quantity and price with the most decimals allowed. */
function carbonLine(random: Random, { trip }: Sale): InvoiceLine {
  const kilograms = Math.round((20 + trip.kilometres * 0.11543) * 1000) / 1000
  return charge({
    lineType: 'FEE',
    productCode: 'CO2-OFFSET',
    description: 'Carbon offset, CO₂ in kg',
    quantity: kilograms,
    unitPrice: 2000 + random.between(1, 499),
    gstPercent: 10,
  })
}

const serviceDescriptions: readonly string[] = [
  'Account management, monthly',
  'Online tool licence',
  'After-hours support',
  "Travellers' risk reporting",
]
