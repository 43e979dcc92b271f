/**
 * The charts of each list: the groups that they ask for (`$apply`), and the condition that a category stands for. Amounts of
 * several currencies make no sum, so each currency is a series of its own.
 */
import type { ListName } from '../fields/list-fields.ts'
import { labelPath } from '../fields/paths.ts'

export type Group = Readonly<Record<string, string | number | boolean | null>>

type ChartName =
  | 'bookingsPerMonth'
  | 'bookingsByLabel'
  | 'leadTime'
  | 'tripsPerMonth'
  | 'routes'
  | 'vendors'
  | 'spendPerMonth'
  | 'spendByLabel'
  | 'lineTypes'

export type ChartQuery = {
  readonly name: ChartName
  readonly kind: 'bars' | 'lying-bars'
  readonly measure: 'count' | 'amount'
  /** For the groups of a label, when one is chosen. */
  readonly apply: (label: string) => string
  readonly orderby?: string
  /** At most so many categories, the largest first; all without it. */
  readonly top?: number
  /** Whether the group is drawn; all are without it. */
  readonly isDrawn?: (group: Group) => boolean
  /** Null where the category has no value. */
  readonly category: (group: Group) => string | null
  /** The records of the category, as a condition of `$filter`; without it a click does nothing. */
  readonly condition?: (group: Group, label: string) => string
  readonly usesLabel?: boolean
}

const TOP = 10

export const literal = (text: string | number | boolean | null | undefined): string =>
  text === null || text === undefined ? 'null' : `'${String(text).replaceAll("'", "''")}'`

/** @param month `YYYY-MM` */
export function inMonth(field: string, month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
  return `${field} ge '${month}-01' and ${field} lt '${next}-01'`
}

const monthly = (field: string): Pick<ChartQuery, 'orderby' | 'category' | 'condition'> => ({
  orderby: 'month',
  category: ({ month }) => textOf(month),
  condition: ({ month }) => (month === null ? `${field} eq null` : inMonth(field, String(month))),
})

const textOf = (value: Group[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const byLabel: Pick<ChartQuery, 'category' | 'condition' | 'usesLabel' | 'kind' | 'top'> = {
  kind: 'lying-bars',
  top: TOP,
  usesLabel: true,
  category: ({ value }) => textOf(value),
  condition: ({ value }, label) => `${labelPath(label)} eq ${literal(value)}`,
}

export const chartsOf: { readonly [Name in ListName]: readonly ChartQuery[] } = {
  bookings: [
    {
      ...monthly('bookingDate'),
      ...{ name: 'bookingsPerMonth', kind: 'bars', measure: 'count' },
      apply: () => 'groupby((month(bookingDate) as month),aggregate($count as n))',
    },
    {
      ...byLabel,
      ...{ name: 'bookingsByLabel', measure: 'count', orderby: 'n desc' },
      apply: (label) => `groupby((${labelPath(label)} as value),aggregate($count as n))`,
    },
    {
      ...{ name: 'leadTime', kind: 'bars', measure: 'count' },
      apply: () => 'groupby((bookingDate as booked,date(tripStartLocal) as starts),aggregate($count as n))',
      category: leadTimeOf,
    },
  ],
  itineraries: [
    {
      ...monthly('tripStartLocal'),
      ...{ name: 'tripsPerMonth', kind: 'bars', measure: 'count' },
      apply: () => 'groupby((month(tripStartLocal) as month),aggregate($count as n))',
    },
    {
      ...{ name: 'routes', kind: 'lying-bars', measure: 'count', orderby: 'n desc', top: TOP },
      apply: () =>
        'groupby((segments.origin as origin,segments.destination as destination),aggregate($count as n))',
      // A hotel goes nowhere.
      isDrawn: ({ origin, destination }) => origin !== null && destination !== null && origin !== destination,
      category: ({ origin, destination }) => `${origin} → ${destination}`,
      condition: ({ origin, destination }) =>
        `any(segments, origin eq ${literal(origin)} and destination eq ${literal(destination)})`,
    },
    {
      ...{ name: 'vendors', kind: 'lying-bars', measure: 'count', orderby: 'n desc', top: TOP },
      apply: () => 'groupby((segments.vendor as vendor),aggregate($count as n))',
      category: ({ vendor }) => textOf(vendor),
      condition: ({ vendor }) => `any(segments, vendor eq ${literal(vendor)})`,
    },
  ],
  invoices: [
    {
      ...monthly('invoiceDate'),
      ...{ name: 'spendPerMonth', kind: 'bars', measure: 'amount' },
      apply: () =>
        'groupby((month(invoiceDate) as month,currencyCode as currency),aggregate(totalAmount with sum as n))',
    },
    {
      ...byLabel,
      ...{ name: 'spendByLabel', measure: 'amount', orderby: 'n desc' },
      apply: (label) =>
        `groupby((${labelPath(label)} as value,currencyCode as currency),aggregate(totalAmount with sum as n))`,
    },
    {
      ...{ name: 'lineTypes', kind: 'lying-bars', measure: 'amount', orderby: 'n desc', top: TOP },
      apply: () =>
        'groupby((lineItems.lineType as type,currencyCode as currency),aggregate(lineItems.lineAmountIncGst with sum as n))',
      category: ({ type }) => textOf(type),
      condition: ({ type }) => `any(lineItems, lineType eq ${literal(type)})`,
    },
  ],
}

/** Days from which each span begins. */
const leadTimes = [
  ['day91', 91],
  ['day31', 31],
  ['day15', 15],
  ['day8', 8],
  ['day4', 4],
  ['day1', 1],
  ['day0', 0],
  ['late', Number.NEGATIVE_INFINITY],
] as const

export type LeadTime = (typeof leadTimes)[number][0]

/** In the order in which they are drawn. */
export const leadTimeNames: readonly LeadTime[] = leadTimes.map(([name]) => name).toReversed()

const DAY_MS = 86_400_000

export function leadTimeOf({ booked, starts }: Group): LeadTime | null {
  const days = (Date.parse(`${starts}T00:00Z`) - Date.parse(`${booked}T00:00Z`)) / DAY_MS
  return leadTimes.find(([, from]) => days >= from)?.[0] ?? null
}

/** The list narrowed to a category, too. */
export const narrowed = (filter: string, condition: string): string =>
  filter === '' ? condition : `(${filter}) and ${condition}`
