/**
 * Keys of an inverted index: a number for a text that a row has, made from client, column and text. The index finds the rows of
 * a client that have a text in a column or a label, or three characters in a column. Different texts may have the same key, so
 * what the index finds is always compared with the text itself as well.
 */

/** The column of a custom label, by its position among the labels of the client. */
export const labelColumn = (position: number): string => `#${position}`

export const textKey = (clientNumber: string, column: string, folded: string): number =>
  hash(`${clientNumber}\0${column}\0${folded}`)

/** The keys of all sequences of three code units, none for shorter texts. */
export function sequenceKeys(clientNumber: string, column: string, folded: string): readonly number[] {
  const keys: number[] = []
  for (let i = 0; i + 3 <= folded.length; i++) {
    keys.push(hash(`${clientNumber}\0${column}\0\0${folded.slice(i, i + 3)}`))
  }
  return keys
}

/** FNV-1a over the code units, as a signed integer of 32 bits. Rows in databases have these numbers: they never change. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value | 0
}
