/**
 * Builds the header `Link` of a page of version 2 (RFC 8288): where the next, previous, first and last page are. A link is the
 * query of the request with another page number, a reference relative to the address of the request. So it keeps what the caller
 * wrote, and it is right behind a proxy that changes host or path.
 */
import type { Page } from '../../query/odata/parameters.ts'

type Built = { readonly query: string; readonly total: number; readonly links: string }

/** A repeated request has the same page object as long as its plan is cached, and mostly the same total. */
const built = new WeakMap<Page, Built>()

/** @param query the query part of the address, as it was sent */
export function pageLinks(query: string, page: Page, total: number): string {
  const known = built.get(page)
  if (known !== undefined && known.total === total && known.query === query) return known.links
  const links = buildLinks(query, page, total)
  built.set(page, { query, total, links })
  return links
}

/**
 * Longer headers would exceed the buffers of common proxies: then only the next page is named, because a caller takes a page
 * without a next one for the last.
 */
const MOST_BYTES = 4096

function buildLinks(query: string, { page, pageSize }: Page, total: number): string {
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  const toPage = pageInto(query)
  const link = (relation: string, to: number) => `<?${toPage(to)}>; rel="${relation}"`
  const next = page < lastPage ? [link('next', page + 1)] : []
  const others = [
    ...(page > 1 ? [link('prev', Math.min(page - 1, lastPage))] : []),
    link('first', 1),
    link('last', lastPage),
  ]
  const all = [...next, ...others].join(', ')
  return all.length <= MOST_BYTES ? all : next.join()
}

/** Returns the query with another page number, in the place of the one that the caller wrote, or at the end. */
function pageInto(query: string): (page: number) => string {
  const parts = query.split('&').map(uriText)
  const at = parts.findIndex((part) => isNamed(part, 'page'))
  if (at >= 0) {
    const name = nameOf(parts[at] as string)
    const before = [...parts.slice(0, at), `${name}=`].join('&')
    const after = parts
      .slice(at + 1)
      .map((part) => `&${part}`)
      .join('')
    return (page) => `${before}${page}${after}`
  }
  // With or without $, like the page size.
  const [sigil = ''] =
    /^(?:\$|%24)?/.exec(nameOf(parts.find((part) => isNamed(part, 'pagesize')) ?? '')) ?? []
  return (page) => `${parts.join('&')}&${sigil}page=${page}`
}

const nameOf = (part: string): string => part.split('=', 1)[0] as string

/** Names were decoded before without a fault; a `+` is a space, which no known name has. */
function isNamed(part: string, wanted: string): boolean {
  const name = nameOf(part)
  const decoded = name.includes('%') ? decodeURIComponent(name) : name
  return decoded.toLowerCase().replace(/^\$/, '') === wanted
}

/**
 * Encodes what an address should not contain (RFC 3986), such as `>`, which would end the reference. The address has one
 * character per byte.
 */
const uriText = (text: string): string =>
  text.replace(
    /[^\w!#$%&'()*+,\-./:;=?@[\]~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
