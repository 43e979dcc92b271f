import type { ProblemRows } from './kinds.ts'

/** AUT1xx: the keys that tokens are checked with, and `tripfolio token issue`. */
export const tokenProblems = {
  AUT101: {
    kind: 'settings',
    meaning: 'Both jwtKeys and jwtSecret are set.',
    action: 'Keep jwtKeys if an identity provider signs tokens, or jwtSecret if you share a secret.',
  },
  AUT102: {
    kind: 'settings',
    meaning: 'The URL in jwtKeys is not safe to take keys from.',
    action: 'Use https without user name and password, http on this machine, or a file.',
  },
  AUT103: {
    kind: 'settings',
    meaning: 'The keys that jwtKeys names cannot be read.',
    action: 'See that the file or server is there and gives a JWKS: a JSON object with an array `keys`.',
  },
  AUT104: {
    kind: 'usage',
    meaning: 'Tokens are checked with public keys, so this machine cannot sign any.',
    action: 'Ask the identity provider for a token, or run without jwtKeys while developing.',
  },
  AUT105: {
    kind: 'usage',
    meaning: 'A text for a new token is empty, too long or has line breaks.',
    action: 'Shorten or correct the text that the message names.',
  },
  AUT106: {
    kind: 'usage',
    meaning: 'The time to live of a new token is out of range.',
    action: 'Write a whole number and m, h or d, such as 30m, 1h or 7d.',
  },
} as const satisfies ProblemRows
