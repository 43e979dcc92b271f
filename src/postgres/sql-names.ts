/** The only door through which a name becomes SQL text. */

/**
 * Quotes a name of a table, column, index or cursor. PostgreSQL cuts names after 63 bytes without an error, so longer ones are
 * refused here.
 */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0') || Buffer.byteLength(name) > LONGEST_NAME_BYTES)
    throw new Error(`'${name}' cannot be a name in PostgreSQL`)
  return `"${name.replaceAll('"', '""')}"`
}

const LONGEST_NAME_BYTES = 63
