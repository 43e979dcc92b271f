/** Follows refreshes live. When one has ended, whatever it changes is read again. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEventStream, type StreamTrouble } from '../../api/event-stream.ts'
import type { ApiProblem } from '../../api/problem.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useSession } from '../session/session.tsx'
import { type RefreshState, refreshAfter } from './refresh-events.ts'
import { keysOfARefresh, type Refresh } from './refresh-queries.ts'

export type FollowedRefresh = {
  /** Undefined until the service has answered. */
  readonly state: RefreshState<Refresh> | undefined
  readonly trouble: StreamTrouble | undefined
  /** After a refusal. */
  readonly retry: () => void
}

export function useRefreshStream(): FollowedRefresh {
  const { credential } = useSession()
  const queries = useQueryClient()
  const [state, setState] = useState<RefreshState<Refresh>>()
  const [trouble, setTrouble] = useState<StreamTrouble>()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the stream anew
  useEffect(() => {
    const leaving = new AbortController()
    setTrouble(undefined)
    readEventStream(`${serviceAddress()}/api/admin/v1/refreshes/current/stream`, {
      credential,
      signal: leaving.signal,
      onEvent: (event) => {
        setState((before) => refreshAfter(before, event))
        if (event.event !== 'ended') return
        for (const queryKey of keysOfARefresh) void queries.invalidateQueries({ queryKey })
      },
      onState: (stream, problem) => {
        // A stream ends by itself now and then; only an attempt that failed is worth a word, until the next one succeeds.
        if (problem !== undefined) setTrouble({ problem, isRefused: false })
        else if (stream === 'open') setTrouble(undefined)
      },
    }).catch((problem: ApiProblem) => setTrouble({ problem, isRefused: true }))
    return () => leaving.abort()
  }, [credential, queries, attempt])
  return { state, trouble, retry: () => setAttempt((before) => before + 1) }
}
