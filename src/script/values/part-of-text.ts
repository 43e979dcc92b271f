/**
 * Cuts a text. A part is copied, because a part that points into the whole text would keep all of it in memory, uncounted:
 * a part of a part of a part would keep the first.
 */
import { detachedString, isWide } from '../../kernel/detached-string.ts'

export const partOfText = (text: string, start: number, end: number = text.length): string =>
  start <= 0 && end >= text.length ? text : detachedString(text.slice(start, end))

/** A text made from another: of one that has characters beyond U+00FF, V8 keeps two bytes for each character also without them. */
export const narrowed = (text: string, source: string): string =>
  isWide(source) && !isWide(text) ? detachedString(text) : text
