/**
 * What `since` names: a token, or a moment as filters accept it. A moment begins with a digit, a token never does: its first byte
 * is the number of its format.
 *
 *     AZ0QkFv1x3nWm6CqkSxH0b3E2Vt9c0uR7pYd4aLm    token
 *     2026-11-20                                  moment: the day begins at 00:00 UTC
 *     2026-11-20T19:00:00+11:00                   moment
 *     2026-11-20 11:00                            refused: it may have been 2026-11-20+11:00
 */
import { parseInstant } from '../../kernel/calendar.ts'
import { malformedMoment, momentToCome } from './problems.ts'

export type Since =
  /** As it was sent, not yet checked. */
  | { readonly kind: 'token'; readonly text: string }
  /** In milliseconds since 1970. */
  | { readonly kind: 'moment'; readonly at: number }

/** Clocks of callers and nodes differ. */
export const MOST_AHEAD_MS = 60_000

/**
 * @param now milliseconds since 1970
 * @throws QueryProblem QRY351 for a text that begins like a moment and is none, QRY353 for a moment that has not come yet
 */
export function readSince(text: string, now: number): Since {
  if (!/^\d/.test(text)) return { kind: 'token', text }
  const at = DAY_WITH_OFFSET.test(text) ? undefined : parseInstant(normalized(text))
  if (at === undefined) throw malformedMoment(text)
  if (at > now + MOST_AHEAD_MS) throw momentToCome(text, at, now)
  return { kind: 'moment', at }
}

/**
 * What an address makes of `2026-11-20+11:00`, which is a day of XML: it would be read as a time of day, so that changes of many
 * hours would be missed.
 */
const DAY_WITH_OFFSET = /^\d{4}-\d\d-\d\d \d\d:\d\d$/

/** RFC 3339 also allows small letters, and any number of digits of a second: what is below a millisecond is of no consequence. */
const normalized = (text: string): string => text.toUpperCase().replace(/(\.\d{3})\d+/, '$1')
