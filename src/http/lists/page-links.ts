/**
 * Builds the header `Link` of a part of a list of version 2 (RFC 8288): where the next, previous, first and last page are, or
 * the next records after those of $top and $skip. A link is the query of the request with another number, a reference relative
 * to the address of the request. So it keeps what the caller wrote, and it is right behind a proxy that changes host or path.
 */
import type { Paging } from '../../query/ast.ts'
import type { Page } from '../../query/odata/parameters.ts'

/**
 * Longer headers would exceed the buffers of common proxies: then only the next page is named, because a caller takes a page
 * without a next one for the last.
 */
const MOST_BYTES = 4096

/** Null for a list that is not paged. */
export type PagedPart = { readonly page: Page | null; readonly slice: Paging | null }

/** @param query the query part of the address, as it was sent */
export function partLinks(query: string, { page, slice }: PagedPart, total: number): string {
  if (page !== null) return pageLinks(query, page, total)
  return slice === null ? '' : nextSlice(query, slice, total)
}

/** Only the next records: the others follow from the numbers of the request. */
function nextSlice(query: string, { offset, limit }: Paging, total: number): string {
  const next = offset + limit
  return limit === 0 || next >= total ? '' : `<?${numberInto(query, 'skip', 'top')(next)}>; rel="next"`
}

export function pageLinks(query: string, { page, pageSize }: Page, total: number): string {
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  const toPage = numberInto(query, 'page', 'pagesize')
  const link = (relation: string, to: number) => `<?${toPage(to)}>; rel="${relation}"`
  const next = page < lastPage ? link('next', page + 1) : ''
  const prev = page > 1 ? `, ${link('prev', Math.min(page - 1, lastPage))}` : ''
  const all = `${next}${prev}, ${link('first', 1)}, ${link('last', lastPage)}`
  if (all.length > MOST_BYTES) return next
  return next === '' ? all.slice(', '.length) : all
}

/**
 * Returns the query with another number, in the place of the one that the caller wrote, or at the end.
 *
 * @param wanted the parameter with the number, in lower case
 * @param partner the parameter that comes with it, and shows whether the caller writes names with $
 */
function numberInto(
  sent: string,
  wanted: 'page' | 'skip',
  partner: 'pagesize' | 'top',
): (number: number) => string {
  const query = uriText(sent)
  let sigil = ''
  for (let start = 0; start < query.length; ) {
    const next = query.indexOf('&', start)
    const end = next < 0 ? query.length : next
    const equals = query.indexOf('=', start)
    const name = query.slice(start, equals < 0 || equals > end ? end : equals)
    const meant = meantName(name)
    if (meant === wanted) return replacing(query, start + name.length + 1, end)
    if (meant === partner) sigil = name.startsWith('$') ? '$' : name.startsWith('%24') ? '%24' : ''
    start = end + 1
  }
  return (number) => `${query}&${sigil}${wanted}=${number}`
}

function meantName(name: string): string {
  const decoded = name.includes('%') ? decodeURIComponent(name) : name
  return decoded.toLowerCase().replace('$', '')
}

function replacing(query: string, start: number, end: number): (number: number) => string {
  const [before, after] = [query.slice(0, start), query.slice(end)]
  return (number) => `${before}${number}${after}`
}

/** Characters that an address should not contain (RFC 3986), such as `>`, which would end the reference. */
const UNSAFE = /[^\w!#$%&'()*+,\-./:;=?@[\]~]/g

/** The address has one character per byte. */
const uriText = (text: string): string =>
  text.replace(
    UNSAFE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
