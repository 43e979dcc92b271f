/** Texts of the console that several of its pages share. Each area has a file of its own. */
export const consoleTexts = {
  title: 'Tripfolio console',
  signInHint: 'Sign in with a token. Whoever runs the service makes one by',
  signInCommand: 'tripfolio token issue',
  sessionEnded: 'The session has ended: the token has expired or is no longer accepted. Sign in again.',
  providerHint: 'Sign in with the account that you have at your company.',
  signInAt: (host: string) => `Sign in at ${host}`,
  tokenRefused:
    'The service does not accept this token: it has expired, was cut short, or is for another service.',
  windowBlocked:
    'The browser did not open a window to sign in. Allow windows of this site, and press the button again.',
  besideHint: 'Sign in in the window that has opened. This page stays as it is, with what you have typed.',
  handedOver: 'You have signed in. You can close this window.',
  useToken: 'Use a token instead',
  noMethod:
    'This service offers no way to sign in here. Whoever runs it can set signInAuthority or allow tokens by signInTokens.',
  methodFailed: 'You cannot sign in now',
  providerUnreachable: (authority: string, origin: string) =>
    `The identity provider ${authority} cannot be reached from this browser. Check that it runs, that its address is right (signInAuthority), and that it allows requests from ${origin} (CORS).`,
  providerRefused: (reason: string) => `The identity provider refused to sign you in: ${reason}`,
  providerAnswerUnusable: (reason: string) =>
    `The answer of the identity provider cannot be used (${reason}). Sign in again.`,
  noRights: (name: string, roles: readonly string[]) =>
    `You are ${name}, and ${roles.length === 0 ? 'your token has no roles' : `your roles (${roles.join(', ')}) give no rights here`}. Ask whoever runs this service for one.`,
  signOutTitle: 'Sign out without saving?',
  signOutText: 'The draft has changes that are not saved. They are lost when you sign out.',
  signOut: 'Sign out',
  token: 'Token',
  signIn: 'Sign in',
} as const
