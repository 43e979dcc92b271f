/**
 * Locale-free text rules shared by every engine: how case is folded and how text is ordered.
 * Nothing here depends on the machine's language settings, so two machines always agree.
 */

/**
 * Folds case: full Unicode lower case, and final sigma becomes sigma. Without that second rule folding would depend on the
 * neighbouring letters, and a folded text might not contain its own folded prefix.
 * Law: `fold(a + b) === fold(a) + fold(b)`.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower
}

/** Removes a byte order mark. */
export const unmarked = (text: string): string => text.replace(/^\ufeff/, '')

/** Orders by Unicode code point, which is also the order of the UTF-8 bytes. Negative, zero or positive. */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return codeUnitRank(x) - codeUnitRank(y)
  }
  return a.length - b.length
}

/**
 * The order of texts, in sorts, comparisons, least and greatest texts: without letter case first, so that `abc` is between `ABB`
 * and `ABD`, and by the texts themselves where that decides nothing.
 */
export const compareTexts = (a: string, b: string): number =>
  compareCodePoints(fold(a), fold(b)) || compareCodePoints(a, b)

/** UTF-16 puts surrogates (U+10000 and up) below U+E000..U+FFFF; code point order puts them above. */
function codeUnitRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

/** Length in Unicode code points: what `maxLength` counts (JSON Schema validation, section 6.3.1). */
export function codePointLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--
      i++
    }
  }
  return length
}

/** Terminals act on them, PostgreSQL stores no NUL, and lines of a table or a log would end early. */
export const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)
