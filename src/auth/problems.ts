/** The problems of the keys of tokens, and of issuing tokens (AUT1xx). */
import { Problem } from '../kernel/problem.ts'

export const keysUnavailable = (where: string, cause: unknown) =>
  new Problem('AUT103', `The keys of tokens cannot be read from ${where}: ${reasonOf(cause)}`, {
    hint: 'jwtKeys names a JWKS: a JSON object whose member `keys` is an array of public keys.',
    cause,
  })

export const issuedElsewhere = () =>
  new Problem('AUT104', 'Tokens are checked with the public keys of jwtKeys, and only their owner can sign', {
    hint: 'Ask the identity provider for a token, or run without jwtKeys (TRIPFOLIO_JWT_KEYS) while developing.',
  })

export const badTokenText = (what: string, longest: number, found: string) =>
  new Problem(
    'AUT105',
    `Expected ${what} of 1 to ${longest} characters without line breaks, found '${found.slice(0, 80)}'`,
  )

export const noAddress = () =>
  new Problem('AUT105', 'Expected an email address of the holder, because jwtIdentityClaim is email', {
    hint: 'Add it: `tripfolio token issue --email ann@example.com`.',
  })

export const badTimeToLive = (found: string, longestDays: number) =>
  new Problem('AUT106', `Expected a time to live from 1m to ${longestDays}d, found '${found.slice(0, 80)}'`, {
    hint: 'Write a whole number and m, h or d, such as 30m, 1h or 7d.',
  })

/** Adds the cause, because the message of `fetch` alone is only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
