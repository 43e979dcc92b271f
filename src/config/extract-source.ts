/** The source of a refresh: the path of a folder, or the URL of a warehouse in PostgreSQL. */

export const isUrl = (source: string): boolean => /^[a-z][\w+.-]*:\/\//i.test(source)

export const isWarehouse = (source: string): boolean => /^postgres(?:ql)?:\/\//i.test(source)

/**
 * @returns null for text that cannot be meant as a URL: with a special character that is not encoded, a part of the password
 *   may stand where the host is expected
 */
export function warehouseUrl(source: string): URL | null {
  const url = URL.parse(source)
  return url !== null && url.hash === '' && (url.username !== '' || !source.includes('@')) ? url : null
}

/** The source as people may see it: a URL without user, password and options. */
export function showSource(source: string): string {
  if (!isWarehouse(source)) return source
  const url = warehouseUrl(source)
  return url === null ? 'postgres://(not a valid URL)' : `postgres://${url.host}${url.pathname}`
}
