/** Follows refreshes live. When one has ended, whatever it changes is read again. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEventStream } from '../../api/event-stream.ts'
import { useSession } from '../session/session.tsx'
import { type RefreshState, refreshAfter } from './refresh-events.ts'
import { keysOfARefresh, type Refresh } from './refresh-queries.ts'

export type FollowedRefresh = {
  /** Undefined until the service has answered. */
  readonly state: RefreshState<Refresh> | undefined
  /** Whether the connection is lost; it is tried again. */
  readonly isWaiting: boolean
}

export function useRefreshStream(): FollowedRefresh {
  const { credential } = useSession()
  const queries = useQueryClient()
  const [state, setState] = useState<RefreshState<Refresh>>()
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    readEventStream('/api/admin/v1/refreshes/current/stream', {
      credential,
      signal: leaving.signal,
      onEvent: (event) => {
        setState((before) => refreshAfter(before, event))
        if (event.event !== 'ended') return
        for (const queryKey of keysOfARefresh) void queries.invalidateQueries({ queryKey })
      },
      // A stream ends by itself now and then; only an attempt that failed is worth a word.
      onState: (stream, problem) => setWaiting(stream === 'waiting' && problem !== undefined),
    }).catch(() => setWaiting(true))
    return () => leaving.abort()
  }, [credential, queries])
  return { state, isWaiting }
}
