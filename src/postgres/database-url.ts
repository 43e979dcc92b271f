/** URLs of PostgreSQL databases: `postgres://user:password@host:port/database?sslmode=...`. */

/** @returns null for text that is not the URL of a PostgreSQL database */
function readDatabaseUrl(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'postgres:' || url.protocol === 'postgresql:') ? url : null
}

/** Server and database as they are shown to people: without user, password and options. */
export function showDatabase(text: string): string {
  const url = readDatabaseUrl(text)
  if (url === null) return '(not a URL)'
  // A socket folder is given as the option `host`.
  const host = url.host || url.searchParams.get('host') || 'localhost'
  return `${host}${url.pathname}`
}
