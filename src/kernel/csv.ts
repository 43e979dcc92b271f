/**
 * CSV (RFC 4180) as every writer of the service writes it: lists, groups, rejects, texts of scripts, the directory, and the
 * files that the web applications save.
 */

/**
 * What a spreadsheet takes for the beginning of a formula. Blanks, tabs and line breaks before it do not prevent that, wide
 * signs are signs for some input methods, and what begins with a tab or a line break may land in a cell of its own.
 */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠\t\r\n]/u

export const isFormula = (text: string): boolean => FORMULA.test(text)

/** With an apostrophe where a spreadsheet would calculate, which makes it a text. */
export const harmless = (text: string): string => (isFormula(text) ? `'${text}` : text)

/** May be changed or quoted by {@link csvCell}; most texts are not. */
const PECULIAR = /^$|^[\s\p{Cc}=+\-@＝＋－＠]|[",\r\n]/u

/** A text for readers of whom nothing is known. Null is an empty cell, and the empty text is `""`. */
export const csvCell = (text: string): string => (PECULIAR.test(text) ? cellOf(harmless(text)) : text)

const NEEDS_QUOTES = /^$|[",\r\n]/

/** The text as it is, in quotes where it needs them. */
export const cellOf = (text: string): string => (NEEDS_QUOTES.test(text) ? quoted(text) : text)

export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

export const LINE_END = '\r\n'

/** The only cell of its line, where it is null: readers leave out a line with nothing in it. */
export const LONE_NULL = '""'

/** @param cells as they are written */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  (cells.join(delimiter) || LONE_NULL) + LINE_END
