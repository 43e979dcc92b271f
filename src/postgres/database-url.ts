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
 * What a session needs. The driver prefers parameters of the URL to what its caller asks for: limits of time are ours alone, and
 * options of the URL stay. Our settings come as a statement, to be run before any other: they win over those options, and poolers
 * such as PgBouncer refuse connections that bring settings with them (https://www.pgbouncer.org/config.html).
 *
 * @param settings of the session, by name
 */
export function withSession(
  text: string,
  settings: Readonly<Record<string, string>>,
): { readonly connectionString: string; readonly setSession: string } {
  const url = new URL(text)
  for (const name of ['application_name', 'statement_timeout', 'query_timeout', 'lock_timeout']) {
    url.searchParams.delete(name)
  }
  const set = ([name, value]: readonly [string, string]) =>
    `set_config(${literal(name)}, ${literal(value)}, false)`
  return {
    connectionString: url.href,
    setSession: `select ${Object.entries(settings).map(set).join(', ')}`,
  }
}

/** Settings are constants of the code. The statement has no parameters, so that it is one message of a connection that opens. */
const literal = (text: string): string => `E'${text.replace(/['\\]/g, '$&$&')}'`
