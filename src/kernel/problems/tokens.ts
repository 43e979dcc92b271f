import type { Explanations } from './kinds.ts'

/** AUT1xx: the keys that check tokens and deliveries, and `tripfolio token issue`. */
export const tokenExplanations = {
  AUT103: {
    meaning: 'The keys that jwtKeys names cannot be read.',
    action: 'Check that the file or server exists and returns a JWKS: a JSON object with an array `keys`.',
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
  AUT107: {
    meaning: 'An endpoint cannot be published, because the secret that checks its deliveries is not there.',
    action: 'Store the secret that the message names, then publish again.',
  },
} satisfies Explanations
