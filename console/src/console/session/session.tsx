/** Who uses the console: a token, in memory only, and what its roles may do. */
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { type Api, createApi, dataOf } from '../../api/client.ts'
import type { Credential } from '../../api/credential.ts'
import { serviceAddress } from '../../api/service-address.ts'

type Me = paths['/api/admin/v1/me']['get']['responses'][200]['content']['application/json']

/** Gives the token for each request, because an identity provider may have renewed it. */
export type TokenSource = {
  readonly token: () => string
  /** Forgets the token; signing out also ends the session at an identity provider. */
  readonly end: (reason: EndReason) => void
}

export type ConsoleSession = {
  readonly api: Api
  readonly credential: () => Credential
  readonly me: Me
  /** Whether the caller's roles may use the operation; what they may not is not offered. */
  readonly may: (operationId: string) => boolean
  readonly signOut: () => void
}

export type OpenedSession = { readonly source: TokenSource; readonly me: Me }

const Session = createContext<ConsoleSession | undefined>(undefined)

export function useSession(): ConsoleSession {
  const session = useContext(Session)
  if (session === undefined) throw new Error('There is no session here')
  return session
}

/** @throws ApiProblem when the token is refused */
export async function openSession(source: TokenSource): Promise<OpenedSession> {
  const api = createApi({
    service: serviceAddress(),
    credential: () => credentialOf(source),
    onUnauthenticated: () => undefined,
  })
  return { source, me: await dataOf(api.GET('/api/admin/v1/me')) }
}

const credentialOf = ({ token }: TokenSource): Credential => ({
  header: 'Authorization',
  value: `Bearer ${token()}`,
})

export type EndReason = 'signed-out' | 'expired'

type ProviderProps = {
  readonly opened: OpenedSession
  readonly onEnd: (reason: EndReason) => void
  readonly children: ReactNode
}

export function SessionProvider({ opened: { source, me }, onEnd, children }: ProviderProps): ReactNode {
  const session = useMemo<ConsoleSession>(() => {
    const rights = new Set(me.rights)
    let hasEnded = false
    const end = (reason: EndReason) => {
      if (hasEnded && reason === 'expired') return
      hasEnded = true
      source.end(reason)
      onEnd(reason)
    }
    const onRefused = () => end('expired')
    const credential = () => ({ ...credentialOf(source), onRefused })
    return {
      api: createApi({
        service: serviceAddress(),
        credential,
        onUnauthenticated: onRefused,
        hasEnded: () => hasEnded,
      }),
      credential,
      me,
      may: (operationId) => rights.has(operationId),
      signOut: () => end('signed-out'),
    }
  }, [source, me, onEnd])
  return <Session value={session}>{children}</Session>
}
