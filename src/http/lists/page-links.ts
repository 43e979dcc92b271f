/**
 * Builds the header `Link` of a page of version 2 (RFC 8288): where the next, previous, first and last page are. A link is the
 * query of the request with another page number, a reference relative to the address of the request. So it keeps what the caller
 * wrote, and it is right behind a proxy that changes host or path.
 */
import type { Page } from '../../query/odata/parameters.ts'

/**
 * Longer headers would exceed the buffers of common proxies: then only the next page is named, because a caller takes a page
 * without a next one for the last.
 */
const MOST_BYTES = 4096

/** @param query the query part of the address, as it was sent */
export function pageLinks(query: string, { page, pageSize }: Page, total: number): string {
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  const toPage = pageInto(query)
  const link = (relation: string, to: number) => `<?${toPage(to)}>; rel="${relation}"`
  const next = page < lastPage ? link('next', page + 1) : ''
  const prev = page > 1 ? `, ${link('prev', Math.min(page - 1, lastPage))}` : ''
  const all = `${next}${prev}, ${link('first', 1)}, ${link('last', lastPage)}`
  if (all.length > MOST_BYTES) return next
  return next === '' ? all.slice(', '.length) : all
}

/** Returns the query with another page number, in the place of the one that the caller wrote, or at the end. */
function pageInto(sent: string): (page: number) => string {
  const query = uriText(sent)
  let sigil = ''
  for (let start = 0; start < query.length; ) {
    const next = query.indexOf('&', start)
    const end = next < 0 ? query.length : next
    const equals = query.indexOf('=', start)
    const name = query.slice(start, equals < 0 || equals > end ? end : equals)
    const meant = meantName(name)
    if (meant === 'page') return replacing(query, start + name.length + 1, end)
    // With or without $, like the page size.
    if (meant === 'pagesize') sigil = name.startsWith('$') ? '$' : name.startsWith('%24') ? '%24' : ''
    start = end + 1
  }
  return (page) => `${query}&${sigil}page=${page}`
}

function meantName(name: string): string {
  const decoded = name.includes('%') ? decodeURIComponent(name) : name
  return decoded.toLowerCase().replace('$', '')
}

function replacing(query: string, start: number, end: number): (page: number) => string {
  const [before, after] = [query.slice(0, start), query.slice(end)]
  return (page) => `${before}${page}${after}`
}

/** Characters that an address should not contain (RFC 3986), such as `>`, which would end the reference. */
const UNSAFE = /[^\w!#$%&'()*+,\-./:;=?@[\]~]/g

/** The address has one character per byte. */
const uriText = (text: string): string =>
  text.replace(
    UNSAFE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
