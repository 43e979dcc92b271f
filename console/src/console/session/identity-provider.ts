/**
 * Signs in at an identity provider by OpenID Connect: authorization code with PKCE. Tokens are in memory only, so a reload asks
 * the provider again. Loaded only where the service names a provider.
 */
import {
  ErrorResponse,
  ErrorTimeout,
  InMemoryWebStorage,
  OidcClient,
  type User,
  UserManager,
  type UserManagerSettings,
  WebStorageStateStore,
} from 'oidc-client-ts'
import { serviceAddress } from '../../api/service-address.ts'
import { consoleTexts as texts } from '../../texts/console.ts'
import { BESIDE, forgetUnfinishedSignIn, openAnswers, redirectStorage } from './redirect-answer.ts'
import type { EndReason, TokenSource } from './session.tsx'

export type IdentityProvider = {
  readonly authority: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

type ProviderSignIn = {
  readonly source: TokenSource /** The fragment of the page that was left. */
  readonly page: string
}

/** Leaves the page for the provider, which sends the browser back to `/console`. */
export async function leaveToSignIn(provider: IdentityProvider): Promise<void> {
  await new UserManager(settingsOf(provider))
    .signinRedirect({ state: { page: location.hash } })
    .catch((cause: unknown) => {
      throw refused(provider, cause)
    })
}

/** @throws Error with a message for the operator when the provider has refused or its answer does not fit this tab */
export async function completeSignIn(provider: IdentityProvider, answer: string): Promise<ProviderSignIn> {
  const manager = new UserManager(settingsOf(provider))
  const user = await manager.signinRedirectCallback(answer).catch((cause: unknown) => {
    throw refused(provider, cause)
  })
  return { source: tokenSource(manager, user), page: pageOf(user) }
}

let waiting: BroadcastChannel | undefined

/**
 * Signs in in a window of its own, so that the page stays as it is. Nobody knows when that window is closed, since it is
 * separated from the page; another attempt takes the place of one that was given up.
 */
export async function signInBeside(provider: IdentityProvider, opened: Window): Promise<TokenSource> {
  waiting?.close()
  const answers = openAnswers()
  waiting = answers
  const { url } = await new OidcClient(settingsOf(provider))
    .createSigninRequest({ url_state: BESIDE })
    .catch((cause: unknown) => {
      throw refused(provider, cause)
    })
  const expected = new URL(url).searchParams.get('state')
  const answer = new Promise<string>((resolve) => {
    answers.onmessage = ({ data }: MessageEvent<string>) => {
      if (new URL(data).searchParams.get('state') === expected) resolve(data)
    }
  })
  opened.location.replace(url)
  try {
    return (await completeSignIn(provider, await answer)).source
  } finally {
    answers.close()
    forgetUnfinishedSignIn()
  }
}

function settingsOf({ authority, clientId, scopes }: IdentityProvider): UserManagerSettings {
  const address = `${serviceAddress()}/console`
  return {
    authority,
    client_id: clientId,
    scope: scopes.join(' '),
    response_type: 'code',
    redirect_uri: address,
    post_logout_redirect_uri: address,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore(redirectStorage),
    // A frame would be needed without a refresh token, and the content security policy allows none.
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
  }
}

function tokenSource(manager: UserManager, first: User): TokenSource {
  let user = first
  manager.events.addUserLoaded((renewed) => {
    user = renewed
  })
  manager.events.addAccessTokenExpiring(() => {
    // When this fails the token expires, and the console asks to sign in again.
    if (user.refresh_token !== undefined) manager.signinSilent().catch(() => undefined)
  })
  return {
    token: () => user.access_token,
    end: (reason) => void end(manager, reason),
  }
}

/** The tokens are forgotten first: with them the library would put one into the address of the provider. */
async function end(manager: UserManager, reason: EndReason): Promise<void> {
  await manager.removeUser()
  manager.stopSilentRenew()
  if (reason !== 'signed-out') return
  const { end_session_endpoint: canEnd } = await manager.metadataService.getMetadata()
  if (canEnd !== undefined) await manager.signoutRedirect()
}

/** Only a fragment of this application is followed. */
function pageOf({ state }: User): string {
  const page = (state as { readonly page?: unknown } | undefined)?.page
  return typeof page === 'string' && page.startsWith('#/') ? page : '#/'
}

function refused({ authority }: IdentityProvider, cause: unknown): Error {
  // Browsers say no more of a request that got no answer, or whose answer the page may not read.
  if (cause instanceof TypeError || cause instanceof ErrorTimeout) {
    return new Error(texts.providerUnreachable(authority, location.origin), { cause })
  }
  if (cause instanceof ErrorResponse) {
    return new Error(texts.providerRefused(cause.error_description ?? cause.error ?? ''), { cause })
  }
  return new Error(texts.providerAnswerUnusable(cause instanceof Error ? cause.message : String(cause)), {
    cause,
  })
}
