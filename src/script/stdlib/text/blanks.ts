/** Cuts white space off, as .NET has it. */
import { partOfText } from '../../values/part-of-text.ts'
import { isWhite } from './white-space.ts'

export function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhite(text.charCodeAt(start))) start++
  while (end > start && isWhite(text.charCodeAt(end - 1))) end--
  return partOfText(text, start, end)
}
