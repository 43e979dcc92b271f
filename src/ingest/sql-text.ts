/** Writes values and names as SQL of the work database. */

/** The name of the file's database in SQL. */
export const CATALOG = 'refresh'

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const name = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

export const list = (items: readonly string[]): string => items.join(', ')

/** A path as a glob that matches nothing else: its special characters are escaped. */
export const exactGlob = (path: string): string => path.replace(/[*?[]/g, '[$&]')

/** A file's path for functions that take a glob. */
export const pathLiteral = (path: string): string => literal(exactGlob(path))

/**
 * SQL of a text that is read from the database. The driver drops a byte order mark at the beginning of a text, so a text
 * that begins with one gets a second one to drop.
 */
export const outgoing = (sql: string): string =>
  `CASE WHEN starts_with(${sql}, chr(65279)) THEN chr(65279) || ${sql} ELSE ${sql} END`

/** SQL of a list of texts, each as {@link outgoing} writes it. */
export const outgoingTexts = (sql: string): string => `list_transform(${sql}, lambda one: ${outgoing('one')})`
