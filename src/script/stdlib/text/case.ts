/**
 * Upper and lower case of .NET's invariant culture. It uses Unicode's simple mapping, in which one character becomes one
 * character, so no text changes its length. JavaScript uses the full mapping (`ß` becomes `SS`); the few characters for which
 * they differ are handled here.
 */
import { TextPieces } from '../../values/long-texts.ts'
import { narrowed } from '../../values/part-of-text.ts'

/** Characters whose full upper case is more than one character, and the dotless i, which .NET does not change. */
const upperException =
  /[\u00df\u0131\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1f50\u1f52\u1f54\u1f56\u1f80-\u1faf\u1fb2-\u1fb4\u1fb6\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc6\u1fc7\u1fcc\u1fd2\u1fd3\u1fd6\u1fd7\u1fe2-\u1fe4\u1fe6\u1fe7\u1ff2-\u1ff4\u1ff6\u1ff7\u1ffc\ufb00-\ufb06\ufb13-\ufb17]/g

/** The dotted capital I, and the sigma, whose lower case depends on the letters around it in JavaScript. */
const lowerException = /[İΣ]/g

export const toUpper = (text: string): string =>
  mapBetween(text, upperException, (part) => part.toUpperCase(), upperOfException)

export const toLower = (text: string): string =>
  mapBetween(
    text,
    lowerException,
    (part) => part.toLowerCase(),
    (letter) => (letter === 'Σ' ? 'σ' : letter),
  )

/** Greek letters with iota subscript have capitals of one character; the other exceptions have none. */
function upperOfException(letter: string): string {
  const unit = letter.charCodeAt(0)
  if (unit >= 0x1f80 && unit < 0x1fb0) return String.fromCharCode(unit | 8)
  if (unit === 0x1fb3 || unit === 0x1fc3 || unit === 0x1ff3) return String.fromCharCode(unit + 9)
  return letter
}

function mapBetween(
  text: string,
  exception: RegExp,
  mapPart: (part: string) => string,
  mapException: (letter: string) => string,
): string {
  if (text.search(exception) < 0) return narrowed(mapPart(text), text)
  const pieces = new TextPieces()
  let start = 0
  for (const { index } of text.matchAll(exception)) {
    pieces.add(mapPart(text.slice(start, index)))
    pieces.add(mapException(text.charAt(index)))
    start = index + 1
  }
  pieces.add(mapPart(text.slice(start)))
  return narrowed(pieces.end(), text)
}
