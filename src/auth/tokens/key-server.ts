/**
 * Fetches the public keys of an identity provider when a token needs them, and caches them. A token with an unknown key causes a
 * new fetch, but never more often than the pauses allow. When the provider is down, the cached keys are used for a while. Its
 * answer is limited in time and size.
 */
import type { JWTVerifyGetKey } from 'jose'
import { keysUnavailable } from '../problems.ts'
import { type Jose, tokenKeySet } from './key-set.ts'

const SECOND = 1000

/** Keys older than this are fetched again, so that a withdrawn key stops working. */
const FRESH = 600 * SECOND
/** Keys up to this age are used when a new fetch fails. */
const USABLE = 3600 * SECOND
const PAUSE = 30 * SECOND
const PAUSE_AFTER_FAILURE = 5 * SECOND
const PATIENCE = 5 * SECOND
const MOST_BYTES = 2 ** 20

export function tokenKeyServer(
  jose: Jose,
  url: URL,
  now: () => number,
  patience = PATIENCE,
): JWTVerifyGetKey {
  // The rest of the URL may contain a secret.
  const where = `${url.origin}${url.pathname}`
  let known: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined
  let tried: { readonly at: number; readonly failure: unknown } | undefined
  let fetching: Promise<boolean> | undefined
  // When the clock is set back, times in the future count as old.
  const within = (span: number, at: number) => Math.abs(now() - at) < span

  return async (header, token) => {
    if (known === undefined || !within(FRESH, known.at)) await refresh()
    try {
      return await usable()(header, token)
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error
      const refreshed = await refresh()
      // The key may be among those that could not be fetched.
      if (!refreshed && tried?.failure !== undefined) throw unavailable()
      return usable()(header, token)
    }
  }

  function usable(): JWTVerifyGetKey {
    if (known === undefined || !within(USABLE, known.at)) throw unavailable()
    return known.keys
  }

  /** @returns whether keys were fetched; false when it failed, or within the pause after an earlier attempt */
  function refresh(): Promise<boolean> {
    fetching ??= attempt().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  async function attempt(): Promise<boolean> {
    if (tried !== undefined) {
      const pause = tried.failure === undefined ? PAUSE : PAUSE_AFTER_FAILURE
      if (within(pause, tried.at)) return false
    }
    const at = now()
    try {
      known = { keys: tokenKeySet(jose, await fetchText(url, patience), where), at }
      tried = { at, failure: undefined }
      return true
    } catch (failure) {
      tried = { at, failure }
      return false
    }
  }

  function unavailable() {
    return keysUnavailable(where, tried?.failure)
  }
}

/** A redirect is refused: only the address that was configured is trusted. */
async function fetchText(url: URL, patience: number): Promise<string> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(patience),
    headers: { accept: 'application/jwk-set+json, application/json' },
  })
  try {
    if (response.status !== 200) throw new Error(`status ${response.status} instead of 200`)
    return await boundedText(response)
  } finally {
    if (!response.bodyUsed) await response.body?.cancel()
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // The throw leaves the loop, which ends the transfer.
    if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
