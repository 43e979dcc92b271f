/**
 * The address that was probably meant by one below /api/v1 or /api/v2 that does not exist: `/booking`, `/bookings.csv`,
 * `/booking/changes`, and `/bookings/QAJ7HN`, as other services address a single record. Undefined when none is near.
 */
import { closest } from '../kernel/closest.ts'
import { recordFormats } from '../schema/record-formats.ts'
import { pathOf } from './allowed-methods.ts'

export function nearestAddress(address: string): string | undefined {
  // Values keep their letter case.
  const [, version, name = '', rest = ''] = API_PATH.exec(address.split('?', 1)[0] as string) ?? []
  if (version === undefined) return undefined
  const [stem = '', extension = ''] = pathOf(name).split('.')
  const near = closest(stem, lists)
  const list = lists.find((name) => name === near)
  if (list === undefined) return undefined
  const plain = `/api/v${version}/${list}`
  if (version === '1') return plain
  const format = recordFormats.find((known) => known === extension)
  if (format !== undefined) return `${plain}?$format=${format}`
  const { field, value } = identities[list]
  if (value.test(rest)) return `${plain}?$filter=${field} eq '${rest}'`
  return closest(rest, [CHANGES]) === undefined ? plain : `${plain}/${CHANGES}`
}

const API_PATH = /^\/api\/v([12])\/([^/]{1,40})(?:\/(.*))?$/i

const CHANGES = 'changes'

const lists = ['bookings', 'invoices', 'itineraries'] as const

/** What one record is asked for by; `count` and `search` are no record locators. */
const locator = { field: 'recordLocator', value: /^(?=.*[0-9A-Z])[A-Za-z0-9]{6}$/ }
const identities = {
  bookings: locator,
  itineraries: locator,
  invoices: { field: 'invoiceNumber', value: /^(?=.*[0-9])[A-Za-z0-9_-]{1,20}$/ },
}
