/** Texts of the explorer that several of its pages share. Each page has a file of its own. */
export const explorerTexts = {
  title: 'Tripfolio explorer',
  signInTitle: 'Your travel records',
  signInHint: 'Sign in with the API key that your travel management company has given you.',
  keyExpired:
    'The server no longer accepts the key: it was rotated, locked or has expired. Sign in with the new one.',
  keyRefused:
    'The server does not accept this key. Check that you have copied all of its 64 characters. If you have, it may be locked or expired: ask your travel management company.',
  apiKey: 'API key',
  keepForTab: 'Stay signed in in this tab',
  keepForTabHint: 'Keeps the key in this tab until you close it. Otherwise a reload asks again.',
  signIn: 'Sign in',
  client: (number: string) => `Client ${number}`,
} as const
