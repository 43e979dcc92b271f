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

/**
 * The driver prefers parameters of the URL to what its caller asks for: options of the URL stay, ours come after them and win, and
 * limits of time are ours alone.
 *
 * @param settings of the session, by name
 */
export function withSession(
  text: string,
  settings: Readonly<Record<string, string>>,
): { readonly connectionString: string; readonly options: string } {
  const url = new URL(text)
  const given = url.searchParams.get('options')
  for (const name of ['options', 'application_name', 'statement_timeout', 'query_timeout', 'lock_timeout']) {
    url.searchParams.delete(name)
  }
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
  return {
    connectionString: url.href,
    options: [...(given === null ? [] : [given]), ...own].join(' '),
  }
}
