/** Airlines, railways, hotels and car hire of demo trips: IATA carrier codes with ticket prefixes, and two-letter chain codes. */

export type Carrier = {
  readonly code: string
  readonly name: string
  readonly country: string
  /** First three digits of the carrier's ticket numbers. */
  readonly ticketPrefix: string
}

type CarrierEntry = readonly [code: string, name: string, country: string, ticketPrefix: string]

const entries: readonly CarrierEntry[] = [
  ['QF', 'Qantas', 'AU', '081'],
  ['VA', 'Virgin Australia', 'AU', '795'],
  ['JQ', 'Jetstar', 'AU', '041'],
  ['NZ', 'Air New Zealand', 'NZ', '086'],
  ['SQ', 'Singapore Airlines', 'SG', '618'],
  ['EK', 'Emirates', 'AE', '176'],
  ['EY', 'Etihad Airways', 'AE', '607'],
  ['QR', 'Qatar Airways', 'QA', '157'],
  ['CX', 'Cathay Pacific', 'HK', '160'],
  ['BA', 'British Airways', 'GB', '125'],
  ['VS', 'Virgin Atlantic', 'GB', '932'],
  ['LH', 'Lufthansa', 'DE', '220'],
  ['AF', 'Air France', 'FR', '057'],
  ['KL', 'KLM', 'NL', '074'],
  ['SN', 'Brussels Airlines', 'BE', '082'],
  ['LX', 'Swiss', 'CH', '724'],
  ['OS', 'Austrian Airlines', 'AT', '257'],
  ['AZ', 'ITA Airways', 'IT', '055'],
  ['IB', 'Iberia', 'ES', '075'],
  ['TP', 'TAP Air Portugal', 'PT', '047'],
  ['EI', 'Aer Lingus', 'IE', '053'],
  ['SK', 'SAS', 'SE', '117'],
  ['AY', 'Finnair', 'FI', '105'],
  ['LO', 'LOT Polish Airlines', 'PL', '080'],
  ['TK', 'Turkish Airlines', 'TR', '235'],
  ['AA', 'American Airlines', 'US', '001'],
  ['UA', 'United Airlines', 'US', '016'],
  ['DL', 'Delta Air Lines', 'US', '006'],
  ['AC', 'Air Canada', 'CA', '014'],
  ['JL', 'Japan Airlines', 'JP', '131'],
  ['NH', 'All Nippon Airways', 'JP', '205'],
  ['KE', 'Korean Air', 'KR', '180'],
  ['CA', 'Air China', 'CN', '999'],
  ['MU', 'China Eastern', 'CN', '781'],
  ['CI', 'China Airlines', 'TW', '297'],
  ['TG', 'Thai Airways', 'TH', '217'],
  ['MH', 'Malaysia Airlines', 'MY', '232'],
  ['GA', 'Garuda Indonesia', 'ID', '126'],
  ['PR', 'Philippine Airlines', 'PH', '079'],
  ['VN', 'Vietnam Airlines', 'VN', '738'],
  ['AI', 'Air India', 'IN', '098'],
  ['FJ', 'Fiji Airways', 'FJ', '260'],
  ['SB', 'Aircalin', 'NC', '063'],
  ['PX', 'Air Niugini', 'PG', '656'],
  ['SA', 'South African Airways', 'ZA', '083'],
  ['KQ', 'Kenya Airways', 'KE', '706'],
  ['AM', 'Aeroméxico', 'MX', '139'],
  ['LA', 'LATAM Airlines', 'CL', '045'],
  ['AR', 'Aerolíneas Argentinas', 'AR', '044'],
]

const carriers: readonly Carrier[] = entries.map(([code, name, country, ticketPrefix]) => ({
  code,
  name,
  country,
  ticketPrefix,
}))

const carriersByCountry: ReadonlyMap<string, readonly Carrier[]> = Map.groupBy(
  carriers,
  (carrier) => carrier.country,
)

/** Carriers that fly anywhere when neither country has its own. */
const worldwide = carriers.filter(({ code }) => ['SQ', 'EK', 'QR'].includes(code))

const carriersByRoute = new Map<string, readonly Carrier[]>()

/** The carriers of both ends of a route, cached by pair of countries. */
export function carriersBetween(from: string, to: string): readonly Carrier[] {
  const route = from + to
  let found = carriersByRoute.get(route)
  if (found === undefined) {
    const ends = from === to ? [from] : [from, to]
    const own = ends.flatMap((country) => carriersByCountry.get(country) ?? [])
    found = own.length === 0 ? worldwide : own
    carriersByRoute.set(route, found)
  }
  return found
}

export type Supplier = { readonly code: string; readonly name: string }

export const hotelChains: readonly Supplier[] = [
  { code: 'RT', name: 'Accor' },
  { code: 'HH', name: 'Hilton' },
  { code: 'MC', name: 'Marriott' },
  { code: 'HI', name: 'Holiday Inn' },
  { code: 'IC', name: 'InterContinental' },
  { code: 'HY', name: 'Hyatt' },
  { code: 'SI', name: 'Sheraton' },
  { code: 'BW', name: 'Best Western' },
  { code: 'WI', name: 'Westin' },
  { code: 'RD', name: 'Radisson' },
  { code: 'XH', name: 'The "Harbour" Hotel, Wharf & Spa' },
]

export const carVendors: readonly Supplier[] = [
  { code: 'ZE', name: 'Hertz' },
  { code: 'ZI', name: 'Avis' },
  { code: 'EP', name: 'Europcar' },
  { code: 'ZD', name: 'Budget' },
  { code: 'ET', name: 'Enterprise' },
  { code: 'SX', name: 'Sixt' },
  { code: 'ZT', name: 'Thrifty' },
]

/** ACRISS car classes. */
export const carClasses: readonly string[] = ['CDAR', 'ICAR', 'SFAR', 'ECMR', 'FVAR', 'PDAR']
