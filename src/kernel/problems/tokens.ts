import type { Explanations } from './kinds.ts'

/** AUT1xx: the keys that tokens are checked with, and `tripfolio token issue`. */
export const tokenExplanations = {
  AUT101: {
    meaning: 'Both jwtKeys and jwtSecret are set.',
    action: 'Keep jwtKeys if an identity provider signs tokens, or jwtSecret if you share a secret.',
  },
  AUT102: {
    meaning: 'The URL in jwtKeys is not safe to take keys from.',
    action: 'Use https without user name and password, http on this machine, or a file.',
  },
  AUT103: {
    meaning: 'The keys that jwtKeys names cannot be read.',
    action: 'See that the file or server is there and gives a JWKS: a JSON object with an array `keys`.',
  },
  AUT104: {
    meaning: 'Tokens are checked with public keys, so this machine cannot sign any.',
    action: 'Ask the identity provider for a token, or run without jwtKeys while developing.',
  },
  AUT105: {
    meaning: 'A text for a new token is empty, too long or has line breaks.',
    action: 'Shorten or correct the text that the message names.',
  },
  AUT106: {
    meaning: 'The time to live of a new token is out of range.',
    action: 'Write a whole number and m, h or d, such as 30m, 1h or 7d.',
  },
} satisfies Explanations
