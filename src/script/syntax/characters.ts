/** Classes of UTF-16 units (language reference, 2.1 and 2.2). Letters above U+FFFF are two units, which do not count. */

const whiteSpace = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/
const letter = /\p{L}/u
const digit = /\p{Nd}/u

const LAST_ASCII = 0x7f

export const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

export const isHexDigit = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)

/** All other white space separates like a space and does not end a line. */
export const isLineEnd = (unit: number): boolean => unit === 0x0a || unit === 0x0d

export const isWhiteSpace = (unit: number): boolean =>
  unit === 0x20 ||
  (unit >= 0x09 && unit <= 0x0d) ||
  (unit > LAST_ASCII && whiteSpace.test(String.fromCharCode(unit)))

/** A letter or `_`. */
export const beginsIdentifier = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  unit === 0x5f ||
  (unit > LAST_ASCII && letter.test(String.fromCharCode(unit)))

export const continuesIdentifier = (unit: number): boolean =>
  isDigit(unit) || beginsIdentifier(unit) || (unit > LAST_ASCII && digit.test(String.fromCharCode(unit)))
