/** How an address names a record: the locator, or the company and the number of an invoice. */
import type { ListName } from '../fields/list-fields.ts'
import { identityPaths, type ListRecord } from './columns.ts'

export const recordKey = (list: ListName, record: ListRecord): string =>
  identityPaths[list].map((name) => encodeURIComponent(String(record[name] ?? ''))).join('/')

/** The condition that finds the record; letter case does not count in it, so more than one may be found. */
export function recordFilter(list: ListName, key: string): string {
  const values = key.split('/').map(decoded)
  return identityPaths[list]
    .map((name, index) => `${name} eq '${(values[index] ?? '').replaceAll("'", "''")}'`)
    .join(' and ')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
