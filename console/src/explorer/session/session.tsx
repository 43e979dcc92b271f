/**
 * Who uses the explorer: an API key, in memory only. With `keepForTab` it is also in the session storage of the tab, which a
 * reload reads and closing the tab deletes.
 */
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { type Api, createApi, dataOf } from '../../api/client.ts'
import type { Credential } from '../../api/credential.ts'
import { ApiProblem } from '../../api/problem.ts'
import { serviceAddress } from '../../api/service-address.ts'

export type ExplorerSession = {
  readonly api: Api
  readonly credential: () => Credential
  readonly clientNumber: string
  /** For the new key after a rotation. */
  readonly replaceKey: (key: string) => void
  readonly signOut: () => void
}

const STORAGE_KEY = 'tripfolio-explorer-key'

export type SignInAttempt = { readonly key: string; readonly keepForTab: boolean }

const Session = createContext<ExplorerSession | undefined>(undefined)

export function useSession(): ExplorerSession {
  const session = useContext(Session)
  if (session === undefined) throw new Error('There is no session here')
  return session
}

/** @throws ApiProblem when the key is refused */
export async function openSession({ key, keepForTab }: SignInAttempt): Promise<OpenedSession> {
  const api = createApi({
    service: serviceAddress(),
    credential: () => credentialOf(key),
    onUnauthenticated: () => undefined,
  })
  const { clientNumber } = await dataOf(
    api.GET('/api/v2/bookings', { params: { query: { $pageSize: 1 } } }) as Promise<{
      data?: { clientNumber: string }
      error?: unknown
      response: Response
    }>,
  )
  if (keepForTab) sessionStorage.setItem(STORAGE_KEY, key)
  return { key, clientNumber }
}

export type OpenedSession = { readonly key: string; readonly clientNumber: string }

/** The session of the key that the tab has kept, or why it cannot be opened. */
export type Restored =
  | { readonly opened: OpenedSession; readonly failure?: never }
  | { readonly opened?: never; readonly failure: unknown }

/** @returns undefined when the tab has kept no key */
export function restoreSession(): Promise<Restored> | undefined {
  const key = keyOfTab()
  if (key === null) return undefined
  return openSession({ key, keepForTab: true }).then(
    (opened) => ({ opened }),
    (failure: unknown) => {
      if (failure instanceof ApiProblem && failure.status === 401) forgetKey()
      return { failure }
    },
  )
}

const keyOfTab = (): string | null => sessionStorage.getItem(STORAGE_KEY)

const forgetKey = (): void => sessionStorage.removeItem(STORAGE_KEY)

const credentialOf = (key: string): Credential => ({ header: 'X-API-Key', value: key })

type ProviderProps = {
  readonly opened: OpenedSession
  /** `expired` when the server no longer accepts the key. */
  readonly onEnd: (reason: 'signed-out' | 'expired') => void
  readonly children: ReactNode
}

export function SessionProvider({ opened, onEnd, children }: ProviderProps): ReactNode {
  const [key] = useState(() => ({ current: opened.key }))
  const session = useMemo<ExplorerSession>(() => {
    const end = (reason: 'signed-out' | 'expired') => {
      forgetKey()
      onEnd(reason)
    }
    const credential = () => credentialOf(key.current)
    return {
      api: createApi({ service: serviceAddress(), credential, onUnauthenticated: () => end('expired') }),
      credential,
      clientNumber: opened.clientNumber,
      replaceKey: (next) => {
        key.current = next
        if (keyOfTab() !== null) sessionStorage.setItem(STORAGE_KEY, next)
      },
      signOut: () => end('signed-out'),
    }
  }, [key, opened.clientNumber, onEnd])
  return <Session value={session}>{children}</Session>
}
