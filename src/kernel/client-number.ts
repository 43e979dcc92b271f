/**
 * What a client number is, for extracts and for accounts alike: 1 to 20 characters, at least one of which is not a blank, and
 * no control characters. Nothing else is refused, and nothing is ever trimmed, folded or normalised: a byte order mark, a
 * blank or a letter case makes another client.
 */
import { codePointLength } from './text.ts'

export const LONGEST_CLIENT_NUMBER = 20

/** Patterns that mean the same to the database of a refresh and here: a control character, and a text of blanks alone. */
export const clientNumberPatterns = { control: String.raw`\p{Cc}`, blank: String.raw`\p{Z}*` } as const

const control = new RegExp(clientNumberPatterns.control, 'u')
const blank = new RegExp(`^${clientNumberPatterns.blank}$`, 'u')

/** The control character in a text, if any. */
export const controlCharacterIn = (text: string): string | undefined => control.exec(text)?.[0]

export const isBlank = (text: string): boolean => blank.test(text)

/** A text with half a surrogate pair cannot be stored as it is. No extract has one, because it is UTF-8. */
export const isClientNumber = (text: string): boolean =>
  text.isWellFormed() &&
  codePointLength(text) <= LONGEST_CLIENT_NUMBER &&
  controlCharacterIn(text) === undefined &&
  !isBlank(text)
