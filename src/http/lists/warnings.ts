/**
 * Builds the `Warning` header (RFC 7234, section 5.5; code 299) that names what version 1 ignored: query parameters and a body. Callers
 * choose these names, so no character of them may end the quoted text or the header.
 */
import { adviceFor } from '../../query/caret/unknown-parameters.ts'
import { PARAMETERS_IN_ADDRESS } from '../problems.ts'

/** Limits that keep the header short. */
const MOST_NAMES = 10
const LONGEST_NAME = 60

/** E.g. `299 - "Unknown query parameter 'skip' ignored; use offset"`, separated by commas; undefined when nothing was ignored. */
export function ignoredWarning(names: readonly string[], hasBody: boolean): string | undefined {
  if (names.length === 0) return hasBody ? IGNORED_BODY : undefined
  const ofNames = names.slice(0, MOST_NAMES).map(warningFor).join(', ')
  return hasBody ? `${ofNames}, ${IGNORED_BODY}` : ofNames
}

const IGNORED_BODY = `299 - "Body ignored; ${PARAMETERS_IN_ADDRESS}"`

function warningFor(name: string): string {
  const advice = adviceFor(name)
  return `299 - "Unknown query parameter '${headerText(name)}' ignored${advice === undefined ? '' : `; ${advice}`}"`
}

/** Keeps printable ASCII, escapes quotes and backslashes, and percent-encodes other characters as UTF-8. */
function headerText(name: string): string {
  const shown = [...name]
  const cut = shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME - 1).join('')}…` : name
  return cut
    .toWellFormed()
    .replace(/[^ -~]/gu, (character) => encodeURIComponent(character))
    .replace(/["\\]/g, '\\$&')
}
