/**
 * The places of demo trips: airports with their coordinates, the railway lines between cities, and flight times. Codes are
 * IATA airport and city codes. The first airports of a country are the busiest destinations.
 */

export type Airport = {
  readonly code: string
  readonly city: string
  readonly country: string
  readonly latitude: number
  readonly longitude: number
}

type AirportEntry = readonly [
  code: string,
  city: string,
  country: string,
  latitude: number,
  longitude: number,
]

const entries: readonly AirportEntry[] = [
  ['SYD', 'Sydney', 'AU', -33.95, 151.18],
  ['MEL', 'Melbourne', 'AU', -37.67, 144.84],
  ['BNE', 'Brisbane', 'AU', -27.38, 153.12],
  ['PER', 'Perth', 'AU', -31.94, 115.97],
  ['ADL', 'Adelaide', 'AU', -34.95, 138.53],
  ['CBR', 'Canberra', 'AU', -35.31, 149.19],
  ['OOL', 'Gold Coast', 'AU', -28.16, 153.51],
  ['CNS', 'Cairns', 'AU', -16.89, 145.75],
  ['DRW', 'Darwin', 'AU', -12.41, 130.88],
  ['HBA', 'Hobart', 'AU', -42.84, 147.51],
  ['KTA', 'Karratha', 'AU', -20.71, 116.77],
  ['TSV', 'Townsville', 'AU', -19.25, 146.77],
  ['LST', 'Launceston', 'AU', -41.55, 147.21],
  ['NTL', 'Newcastle', 'AU', -32.8, 151.83],
  ['AKL', 'Auckland', 'NZ', -37.01, 174.79],
  ['WLG', 'Wellington', 'NZ', -41.33, 174.81],
  ['CHC', 'Christchurch', 'NZ', -43.49, 172.53],
  ['ZQN', 'Queenstown', 'NZ', -45.02, 168.74],
  ['DUD', 'Dunedin', 'NZ', -45.93, 170.2],
  ['LHR', 'London', 'GB', 51.47, -0.45],
  ['MAN', 'Manchester', 'GB', 53.35, -2.28],
  ['EDI', 'Edinburgh', 'GB', 55.95, -3.37],
  ['LGW', 'London', 'GB', 51.15, -0.19],
  ['BHX', 'Birmingham', 'GB', 52.45, -1.75],
  ['GLA', 'Glasgow', 'GB', 55.87, -4.43],
  ['SIN', 'Singapore', 'SG', 1.36, 103.99],
  ['JFK', 'New York', 'US', 40.64, -73.78],
  ['LAX', 'Los Angeles', 'US', 33.94, -118.41],
  ['SFO', 'San Francisco', 'US', 37.62, -122.38],
  ['ORD', 'Chicago', 'US', 41.98, -87.9],
  ['DFW', 'Dallas', 'US', 32.9, -97.04],
  ['IAD', 'Washington', 'US', 38.95, -77.46],
  ['BOS', 'Boston', 'US', 42.36, -71.01],
  ['ATL', 'Atlanta', 'US', 33.64, -84.43],
  ['SEA', 'Seattle', 'US', 47.45, -122.31],
  ['DEN', 'Denver', 'US', 39.86, -104.67],
  ['IAH', 'Houston', 'US', 29.98, -95.34],
  ['MIA', 'Miami', 'US', 25.79, -80.29],
  ['HNL', 'Honolulu', 'US', 21.32, -157.92],
  ['HKG', 'Hong Kong', 'HK', 22.31, 113.91],
  ['DXB', 'Dubai', 'AE', 25.25, 55.36],
  ['DOH', 'Doha', 'QA', 25.27, 51.61],
  ['AUH', 'Abu Dhabi', 'AE', 24.43, 54.65],
  ['HND', 'Tokyo', 'JP', 35.55, 139.78],
  ['NRT', 'Tokyo', 'JP', 35.76, 140.39],
  ['KIX', 'Osaka', 'JP', 34.43, 135.24],
  ['ICN', 'Seoul', 'KR', 37.46, 126.44],
  ['PVG', 'Shanghai', 'CN', 31.14, 121.81],
  ['PEK', 'Beijing', 'CN', 40.08, 116.58],
  ['CAN', 'Guangzhou', 'CN', 23.39, 113.3],
  ['TPE', 'Taipei', 'TW', 25.08, 121.23],
  ['BKK', 'Bangkok', 'TH', 13.69, 100.75],
  ['KUL', 'Kuala Lumpur', 'MY', 2.75, 101.71],
  ['CGK', 'Jakarta', 'ID', -6.13, 106.66],
  ['DPS', 'Denpasar', 'ID', -8.75, 115.17],
  ['MNL', 'Manila', 'PH', 14.51, 121.02],
  ['SGN', 'Ho Chi Minh City', 'VN', 10.82, 106.65],
  ['HAN', 'Hanoi', 'VN', 21.22, 105.81],
  ['DEL', 'Delhi', 'IN', 28.57, 77.1],
  ['BOM', 'Mumbai', 'IN', 19.09, 72.87],
  ['BLR', 'Bengaluru', 'IN', 13.2, 77.71],
  ['NAN', 'Nadi', 'FJ', -17.76, 177.44],
  ['NOU', 'Nouméa', 'NC', -22.01, 166.21],
  ['POM', 'Port Moresby', 'PG', -9.44, 147.22],
  ['CDG', 'Paris', 'FR', 49.01, 2.55],
  ['NCE', 'Nice', 'FR', 43.66, 7.22],
  ['LYS', 'Lyon', 'FR', 45.72, 5.09],
  ['FRA', 'Frankfurt', 'DE', 50.03, 8.57],
  ['MUC', 'München', 'DE', 48.35, 11.79],
  ['BER', 'Berlin', 'DE', 52.37, 13.5],
  ['HAM', 'Hamburg', 'DE', 53.63, 9.99],
  ['AMS', 'Amsterdam', 'NL', 52.31, 4.76],
  ['BRU', 'Bruxelles', 'BE', 50.9, 4.48],
  ['ZRH', 'Zürich', 'CH', 47.46, 8.55],
  ['GVA', 'Genève', 'CH', 46.24, 6.11],
  ['VIE', 'Wien', 'AT', 48.11, 16.57],
  ['MXP', 'Milano', 'IT', 45.63, 8.72],
  ['FCO', 'Roma', 'IT', 41.8, 12.25],
  ['MAD', 'Madrid', 'ES', 40.47, -3.56],
  ['BCN', 'Barcelona', 'ES', 41.3, 2.08],
  ['LIS', 'Lisboa', 'PT', 38.77, -9.13],
  ['DUB', 'Dublin', 'IE', 53.42, -6.27],
  ['CPH', 'København', 'DK', 55.62, 12.66],
  ['ARN', 'Stockholm', 'SE', 59.65, 17.92],
  ['OSL', 'Oslo', 'NO', 60.19, 11.1],
  ['HEL', 'Helsinki', 'FI', 60.32, 24.96],
  ['WAW', 'Warszawa', 'PL', 52.17, 20.97],
  ['IST', 'İstanbul', 'TR', 41.26, 28.74],
  ['JNB', 'Johannesburg', 'ZA', -26.14, 28.25],
  ['CPT', 'Cape Town', 'ZA', -33.97, 18.6],
  ['NBO', 'Nairobi', 'KE', -1.32, 36.93],
  ['YYZ', 'Toronto', 'CA', 43.68, -79.63],
  ['YVR', 'Vancouver', 'CA', 49.19, -123.18],
  ['YUL', 'Montréal', 'CA', 45.47, -73.74],
  ['MEX', 'Ciudad de México', 'MX', 19.44, -99.07],
  ['GRU', 'São Paulo', 'BR', -23.43, -46.47],
  ['SCL', 'Santiago', 'CL', -33.39, -70.79],
  ['EZE', 'Buenos Aires', 'AR', -34.82, -58.54],
]

export const airports: readonly Airport[] = entries.map(([code, city, country, latitude, longitude]) => ({
  code,
  city,
  country,
  latitude,
  longitude,
}))

export const airportsByCountry: ReadonlyMap<string, readonly Airport[]> = Map.groupBy(
  airports,
  (airport) => airport.country,
)

const airportsByCode: ReadonlyMap<string, Airport> = new Map(
  airports.map((airport) => [airport.code, airport]),
)

export function airport(code: string): Airport {
  const found = airportsByCode.get(code)
  if (found === undefined) throw new RangeError(`No airport ${code}`)
  return found
}

/** Airports where long journeys change planes. */
export const hubs: readonly Airport[] = ['SIN', 'DXB', 'HKG', 'DOH', 'LAX', 'FRA'].map(airport)

/** City codes of railways that are not airport codes. */
const railCities: ReadonlyMap<string, string> = new Map([
  ['LON', 'GB'],
  ['PAR', 'FR'],
  ['NYC', 'US'],
  ['WAS', 'US'],
])

/** The country of an airport or a railway city. */
export function countryOf(code: string): string | undefined {
  return airportsByCode.get(code)?.country ?? railCities.get(code)
}

export type RailLine = {
  readonly from: string
  readonly to: string
  readonly vendor: string
  readonly operator: string
  readonly minutes: number
}

export const railLines: readonly RailLine[] = [
  { from: 'LON', to: 'MAN', vendor: '9B', operator: 'AccesRail', minutes: 130 },
  { from: 'LON', to: 'EDI', vendor: '9B', operator: 'AccesRail', minutes: 270 },
  { from: 'LON', to: 'BHX', vendor: '9B', operator: 'AccesRail', minutes: 85 },
  { from: 'LON', to: 'PAR', vendor: '9F', operator: 'Eurostar', minutes: 140 },
  { from: 'LON', to: 'BRU', vendor: '9F', operator: 'Eurostar', minutes: 120 },
  { from: 'LON', to: 'AMS', vendor: '9F', operator: 'Eurostar', minutes: 235 },
  { from: 'PAR', to: 'LYS', vendor: '2C', operator: 'SNCF', minutes: 120 },
  { from: 'PAR', to: 'NCE', vendor: '2C', operator: 'SNCF', minutes: 340 },
  { from: 'PAR', to: 'GVA', vendor: '2C', operator: 'SNCF', minutes: 190 },
  { from: 'FRA', to: 'MUC', vendor: '2A', operator: 'Deutsche Bahn', minutes: 200 },
  { from: 'BER', to: 'HAM', vendor: '2A', operator: 'Deutsche Bahn', minutes: 105 },
  { from: 'FRA', to: 'AMS', vendor: '2A', operator: 'Deutsche Bahn', minutes: 235 },
  { from: 'NYC', to: 'WAS', vendor: '2V', operator: 'Amtrak', minutes: 175 },
  { from: 'NYC', to: 'BOS', vendor: '2V', operator: 'Amtrak', minutes: 220 },
  { from: 'YUL', to: 'YYZ', vendor: '2R', operator: 'VIA Rail Canada', minutes: 300 },
  { from: 'SYD', to: 'CBR', vendor: 'XT', operator: 'NSW TrainLink', minutes: 250 },
  { from: 'MEL', to: 'SYD', vendor: 'XT', operator: 'NSW TrainLink', minutes: 665 },
]

const EARTH_RADIUS_KM = 6371
const RADIANS = Math.PI / 180
const distances = new Map<string, number>()

/** Great-circle distance (haversine formula), cached: millions of flights use a few thousand pairs. */
export function kilometresBetween(from: Airport, to: Airport): number {
  const pair = from.code + to.code
  let kilometres = distances.get(pair)
  if (kilometres === undefined) {
    const north = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2
    const east = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2
    const shrink = Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS)
    kilometres = Math.round(2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(north + shrink * east)))
    distances.set(pair, kilometres)
  }
  return kilometres
}

/** Minutes at 800 km/h, with half an hour for taxiing, climb and approach; in steps of five minutes. */
export function flightMinutes(kilometres: number): number {
  return Math.ceil((30 + (kilometres / 800) * 60) / 5) * 5
}
