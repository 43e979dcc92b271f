/**
 * Makes the customer list of the demo agency: names, home airports, sizes, and the labels of each client for its custom data.
 * The first client is the second largest, and its labels have every difficulty that labels can have.
 */

import { sizesByRank } from './client-sizes.ts'
import { type Airport, airport } from './places.ts'
import { choose, type Random, scatter } from './random.ts'

/** `field` is a booking column such as `cost_centre`, or the name of a `booking_custom_data` row. */
type CustomLabel = { readonly field: string; readonly label: string }

export type Client = {
  readonly clientNumber: string
  readonly name: string
  readonly bookings: number
  /** Rank by number of bookings; 0 is the largest. */
  readonly rank: number
  readonly home: Airport
  /** Index of the company that usually invoices the client. */
  readonly company: number
  readonly agency: string
  readonly labels: readonly CustomLabel[]
  /** Number of travelling employees. */
  readonly employees: number
  /** A scattered number, from which everything follows that is the same in all bookings of the client. */
  readonly key: number
}

export function makeClients(random: Random, clients: number, bookings: number): readonly Client[] {
  const sizes = sizesByRank(clients, bookings)
  const taken = new Set<string>()
  return ranksInListOrder(random, clients).map((rank, index) => {
    const key = scatter(random.below(2 ** 32))
    const home = index === 0 ? AUSTRALIA : choose(homes, key >>> 8)
    const size = sizes[rank] ?? 0
    return {
      clientNumber: `C${String(index + 1).padStart(5, '0')}`,
      name: inventName(random, taken),
      bookings: size,
      rank,
      home: airport(choose(home.airports, key >>> 4)),
      company: home.company,
      agency: choose(home.agencies, key >>> 12),
      labels: labelsOf(random, index),
      employees: Math.max(4, Math.ceil(size / 12)),
      key,
    }
  })
}

/** The second largest client comes first, because people who try the demo begin there. The others have no order. */
function ranksInListOrder(random: Random, clients: number): readonly number[] {
  const ranks = Array.from({ length: clients }, (_, rank) => rank)
  if (clients > 1) swap(ranks, 0, 1)
  for (let i = clients - 1; i > 1; i--) swap(ranks, i, random.between(1, i))
  return ranks
}

function swap(list: number[], i: number, j: number): void {
  const kept = list[i] ?? 0
  list[i] = list[j] ?? 0
  list[j] = kept
}

type Home = {
  readonly airports: readonly string[]
  readonly company: number
  readonly agencies: readonly string[]
}

const AUSTRALIA: Home = {
  airports: ['SYD', 'MEL', 'SYD', 'BNE', 'MEL', 'PER', 'ADL', 'CBR'],
  company: 0,
  agencies: [
    'Wayfarer Sydney Corporate',
    'Wayfarer Melbourne',
    'Wayfarer Perth (Mining & Energy)',
    'Wayfarer Online',
  ],
}

const NEW_ZEALAND: Home = {
  airports: ['AKL', 'WLG', 'AKL', 'CHC'],
  company: 1,
  agencies: ['Wayfarer Auckland', 'Wayfarer Wellington', "O'Hara & Sons Travel, Christchurch"],
}

const BRITAIN: Home = {
  airports: ['LHR', 'LHR', 'MAN', 'EDI'],
  company: 2,
  agencies: ['Wayfarer London', 'Wayfarer Manchester "24/7"'],
}

const ELSEWHERE: Home = {
  airports: ['SIN', 'JFK', 'FRA', 'CDG'],
  company: 0,
  agencies: ['Wayfarer Global Desk', 'Voyages Étoile', 'Reisebüro Müller & Söhne'],
}

const homes: readonly Home[] = [
  AUSTRALIA,
  AUSTRALIA,
  AUSTRALIA,
  AUSTRALIA,
  AUSTRALIA,
  AUSTRALIA,
  NEW_ZEALAND,
  NEW_ZEALAND,
  BRITAIN,
  ELSEWHERE,
]

/** Companies that issue invoices. */
export const companies: readonly string[] = [
  'Wayfarer Travel Pty Ltd',
  'Wayfarer Travel NZ Limited',
  'Wayfarer Travel UK, Ltd.',
]

/** The currency of each company. */
export const currencies: readonly string[] = ['AUD', 'NZD', 'GBP']

const founders: readonly string[] = [
  'Halvorsen',
  'Brightwater',
  "O'Connell",
  'Kestrel',
  'Marlow',
  'Tamarind',
  'Ironbark',
  'Świerczewski',
  'Blue Gum',
  'Castellane',
  'Harrow',
  'Müller',
  'Pinnacle Ridge',
  'Whakatāne',
  'Sterling',
  'Nakamura',
  'Fairhaven',
  'Redcliffe',
  'Aurora',
  'Delacroix',
  'Northgate',
  'Banksia',
  'Rosenthal',
  'Silverstream',
  'Penhaligon',
  'Kowhai',
]

const trades: readonly string[] = [
  'Mining',
  'Engineering',
  'Legal',
  'Pharma',
  'Energy',
  'Insurance',
  'Logistics',
  'Architects',
  'Software',
  'Foods',
  'Health',
  'University',
  'Media',
  'Construction',
]

const forms: readonly string[] = ['Pty Ltd', 'Limited', 'Group', '& Co', 'Holdings, Inc.', 'GmbH', 'Partners']

function inventName(random: Random, taken: Set<string>): string {
  const invented = `${random.pick(founders)} ${random.pick(trades)} ${random.pick(forms)}`
  let name = invented
  for (let branch = 2; taken.has(name); branch++) name = `${invented} (Branch ${branch})`
  taken.add(name)
  return name
}

/** They have spaces, an apostrophe, quotes, letters beyond ASCII, a word reserved in filters, or a dot. */
const difficultLabels: readonly CustomLabel[] = [
  { field: 'cost_centre', label: 'Cost Centre' },
  { field: 'employee_id', label: 'Employee ID' },
  { field: 'department', label: 'Département' },
  { field: 'authorised_by', label: "Manager's Approval" },
  { field: 'UDID12', label: 'Reason "Why Travel"' },
  { field: 'UDID13', label: 'Project.Code' },
  { field: 'UDID14', label: 'and' },
]

const labelPool: readonly (readonly CustomLabel[])[] = [
  [
    { field: 'department', label: 'Department' },
    { field: 'department', label: 'Business Unit' },
    { field: 'department', label: 'Direction générale' },
  ],
  [
    { field: 'employee_id', label: 'Staff No' },
    { field: 'employee_id', label: 'Personalnummer' },
    { field: 'employee_id', label: 'EmployeeNumber' },
  ],
  [
    { field: 'cost_centre', label: 'Cost Centre' },
    { field: 'cost_centre', label: 'Kostenstelle' },
    { field: 'cost_centre', label: 'Centre de coût' },
    { field: 'cost_centre', label: 'G/L Account' },
  ],
  [
    { field: 'purchase_order', label: 'PO Number' },
    { field: 'purchase_order', label: 'Purchase order #' },
  ],
  [
    { field: 'booked_by', label: 'Booked By' },
    { field: 'booked_by', label: "Arranger's Name" },
  ],
  [
    { field: 'custom_data1', label: 'Project' },
    { field: 'custom_data1', label: 'WBS.Element' },
  ],
  [
    { field: 'custom_data2', label: 'Client Matter' },
    { field: 'UDID21', label: 'Matter/Sub-matter' },
  ],
  [
    { field: 'UDID30', label: 'Reason for Travel' },
    { field: 'UDID30', label: 'Reisegrund' },
  ],
  [
    { field: 'UDID31', label: 'CO₂ Band' },
    { field: 'UDID31', label: '出張区分' },
  ],
  [
    { field: 'UDID40', label: 'Trip Type' },
    { field: 'UDID40', label: 'in policy' },
  ],
]

const CLIENT_WITHOUT_LABELS = 2

function labelsOf(random: Random, index: number): readonly CustomLabel[] {
  if (index === 0) return difficultLabels
  if (index === CLIENT_WITHOUT_LABELS || random.chance(0.12)) return []
  const wanted = random.between(2, 6) / labelPool.length
  return labelPool.flatMap((choices) => (random.chance(wanted) ? [random.pick(choices)] : []))
}

/** The names of the client's own `booking_custom_data` rows: labelled fields that are not booking columns. */
export function ownFields(client: Client): readonly string[] {
  return client.labels.flatMap(({ field }) => (field.startsWith('UDID') ? [field] : []))
}
