/** How values and names get into the database's SQL. */

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const name = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

export const list = (items: readonly string[]): string => items.join(', ')

/** A file's path where the database would take a glob: its special characters stand for themselves. */
export const pathLiteral = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'))

/**
 * Text on its way out of the database: its driver drops a byte order mark at the beginning of a text, so that one is put
 * in front for it to drop.
 */
export const outgoing = (sql: string): string =>
  `CASE WHEN starts_with(${sql}, chr(65279)) THEN chr(65279) || ${sql} ELSE ${sql} END`
