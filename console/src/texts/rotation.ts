/** Texts of the rotation of the client's own key. */
export const rotationTexts = {
  title: 'API key',
  intro:
    'Programs use this key to read your records. Rotate it when somebody has seen it who should not have, or as often as your rules ask for.',
  stops: 'What will stop working',
  stopsText:
    'The present key is refused from the next request on. Every program that uses it stops until it has the new key: exports, spreadsheets, reports, and this page in other tabs.',
  lost: 'The new key is shown once. If you lose it, your travel management company can issue another one; the old key does not come back.',
  start: 'Rotate the key',
  dialog: 'Rotate the API key',
  typed: 'rotate',
  newKey: 'The new API key',
  goesOn: 'This page already uses the new key.',
  copy: 'Copy the key',
  unknown:
    'No answer came, so it is not known whether the key was rotated. Sign in again: if the key is refused, ask your travel management company for a new one.',
} as const
