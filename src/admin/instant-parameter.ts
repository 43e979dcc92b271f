/** Moments in addresses: written as filters accept them, handed on in the one form that is stored. */
import Type from 'typebox'
import { parseInstant } from '../kernel/calendar.ts'
import { invalidInput } from './problems.ts'

export const instantParameter = (description: string) =>
  Type.Optional(Type.String({ description: `${description}; a date or date-time, UTC without a zone` }))

/**
 * RFC 3339 in UTC with milliseconds.
 *
 * @throws DetailedProblem ADM105
 */
export function instantText(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant !== undefined) return new Date(instant).toISOString()
  throw invalidInput('address', [{ path, message: 'must be a date or date-time such as 2026-01-31T12:00Z' }])
}
