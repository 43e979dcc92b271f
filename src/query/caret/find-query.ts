/**
 * Finds the raw value of `query`, and the list, in a pasted text: the bare value, the query part of an address, or a whole
 * address. Refuses a raw `&` in anything else. Used by `tripfolio explain` only, not by requests. {@link parseClauses} is the
 * next step.
 */
import { decodeForm } from '../../kernel/addresses/form-encoding.ts'
import type { ListName } from '../../schema/datasets.ts'
import { rawAmpersand, repeatedQuery } from './problems.ts'
import { unknownNames } from './unknown-parameters.ts'

type FoundQuery = {
  /** Empty when the address has no `query`. */
  readonly query: string
  /** The list at the end of the path, if there is one. */
  readonly list: ListName | undefined
  /** Parameters that version 1 ignores, as in {@link unknownNames}. */
  readonly ignored: readonly string[]
}

/** @throws Problem QRY409 and QRY423 */
export function findQuery(pasted: string): FoundQuery {
  const [whole, path = '', parameters = ''] = ADDRESS.exec(pasted) ?? []
  if (whole !== undefined) return { ...queryAmong(parameters), list: listOf(path) }
  if (QUERY_PART.test(pasted)) return { ...queryAmong(pasted.replace('?', '')), list: undefined }
  if (pasted.includes('&')) throw rawAmpersand()
  return { query: pasted, list: undefined, ignored: [] }
}

/** `https://host/api/v1/invoices?fetch=5&query=...`, `/api/v1/invoices` */
const ADDRESS = /^((?:https?:\/)?\/[^?#]*)(?:\?([^#]*))?/i

/** `?fetch=5&query=...`, `query=...&offset=10` */
const QUERY_PART = /^(?:\?|(?:\w+=[^&]*&)*query=)/i

function queryAmong(parameters: string): Omit<FoundQuery, 'list'> {
  const pairs = parameters
    .split('&')
    .filter((part) => part !== '')
    .map(pairOf)
  const [query = '', second] = pairs.filter(([name]) => name.toLowerCase() === 'query').map(([, raw]) => raw)
  if (second !== undefined) throw repeatedQuery()
  return { query, ignored: unknownNames(pairs) }
}

function pairOf(part: string): readonly [name: string, rawValue: string] {
  const [rawName = ''] = part.split('=', 1)
  return [decodeForm(rawName) ?? rawName, part.slice(rawName.length + 1)]
}

const lists: ReadonlySet<string> = new Set<ListName>(['bookings', 'invoices', 'itineraries'])

function listOf(path: string): ListName | undefined {
  const name = /([^/]*)\/*$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return isList(name) ? name : undefined
}

const isList = (name: string): name is ListName => lists.has(name)
