/** Follows the runs of the service, and keeps those that failed until the operator has seen them. */
import { useCallback, useEffect, useState } from 'react'
import { readEventStream } from '../../api/event-stream.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useSession } from '../session/session.tsx'
import { afterFailure, afterSeen, afterTime, type Failures, failureReader, noFailures } from './failures.ts'

type KeptFailures = {
  readonly failures: Failures
  readonly see: (endpointId: string) => void
  readonly forget: () => void
}

/** Busy services send hundreds of events a second; what failed is shown together. */
const DRAW_MS = 250

export function useFailures(isWatching: boolean): KeptFailures {
  const { credential } = useSession()
  const [failures, setFailures] = useState(noFailures)
  useEffect(() => {
    if (!isWatching) return
    const leaving = new AbortController()
    const read = failureReader()
    const found: Parameters<typeof afterFailure>[1][] = []
    const timer = setInterval(() => {
      const nowMs = Date.now()
      const news = found.splice(0)
      setFailures((before) =>
        afterTime(
          news.reduce((now, failure) => afterFailure(now, failure, nowMs), before),
          nowMs,
        ),
      )
    }, DRAW_MS)
    readEventStream(`${serviceAddress()}/api/admin/v1/executions/live/stream`, {
      credential,
      signal: leaving.signal,
      onEvent: ({ event = 'message', data }) => {
        const failure = read(event, data)
        if (failure !== undefined) found.push(failure)
      },
      // Who is refused here is refused by the pages, too, which say so.
    }).catch(() => undefined)
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [credential, isWatching])
  const see = useCallback((endpointId: string) => setFailures((now) => afterSeen(now, endpointId)), [])
  const forget = useCallback(() => setFailures(noFailures), [])
  return { failures, see, forget }
}
