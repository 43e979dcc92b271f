/**
 * What an identity provider has sent back: it redirects to `/console` with a code or an error in the query. Both leave the address
 * at once, before anything else of the page runs, so that neither history nor a copied link has them.
 */

/** The address with the answer; undefined when the page was opened in another way. */
export function takeRedirectAnswer(): string | undefined {
  const { search, href, pathname, hash } = location
  if (search === '') return undefined
  const parameters = new URLSearchParams(search)
  history.replaceState(null, '', `${pathname}${hash}`)
  const isAnswer = parameters.has('state') && (parameters.has('code') || parameters.has('error'))
  return isAnswer ? href : undefined
}

/** Marks, in the state that the provider gives back, a sign-in in a window beside the page. */
export const BESIDE = 'beside'

/** Whether the answer is for a sign-in that another tab waits for. */
export const isForAnotherTab = (answer: string): boolean =>
  new URL(answer).searchParams.get('state')?.endsWith(`;${BESIDE}`) === true

/** Between the tabs of this origin. Only the tab that has the state of an answer, and its verifier, can use it. */
export const openAnswers = (): BroadcastChannel => new BroadcastChannel('tripfolio-sign-in')

const PREFIX = 'tripfolio-sign-in.'

/** State and verifier of a sign-in are kept in the tab while the browser is at the identity provider, and never longer. */
export const redirectStorage = { prefix: PREFIX, store: sessionStorage } as const

/** What a sign-in that was given up has left in the tab. */
export function forgetUnfinishedSignIn(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  }
}
