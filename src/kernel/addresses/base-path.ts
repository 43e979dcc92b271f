/**
 * The path below which a proxy offers the service, such as `/travel` of `https://intranet.example.com/travel/explore`.
 *
 * Only characters that mean nothing in HTML, in JSON, in headers and in addresses: it is written into all of them.
 */
export const isBasePath = (text: string): boolean =>
  text.length <= LONGEST && /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(text)

const LONGEST = 200

/**
 * @param address begins with a slash
 * @returns the address below the path; any other address as it is, for a proxy that has removed the path already
 */
export function withoutBasePath(address: string, basePath: string): string {
  if (!address.startsWith(basePath)) return address
  const rest = address.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : address
}
