/**
 * Names of version 1's query parameters that were ignored -> the value of a `Warning` header (RFC 7234, section 5.5; code 299). A
 * caller chooses these names, so nothing of them may end the quoted text or the header.
 */
import { adviceFor } from '../../query/caret/unknown-parameters.ts'

/** More of them say nothing new, and a header has to fit. */
const MOST_NAMES = 10
const LONGEST_NAME = 60

/** `299 - "Unknown query parameter 'skip' ignored; use offset"`, several separated by commas; undefined when nothing was ignored. */
export function ignoredParametersWarning(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return names.slice(0, MOST_NAMES).map(warningFor).join(', ')
}

function warningFor(name: string): string {
  const advice = adviceFor(name)
  return `299 - "Unknown query parameter '${headerText(name)}' ignored${advice === undefined ? '' : `; ${advice}`}"`
}

/** Printable ASCII stays, quotes and backslashes are escaped, anything else is percent-encoded UTF-8. */
function headerText(name: string): string {
  const shown = [...name]
  const cut = shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME - 1).join('')}…` : name
  return cut
    .toWellFormed()
    .replace(/[^ -~]/gu, (character) => encodeURIComponent(character))
    .replace(/["\\]/g, '\\$&')
}
