/** Follows the stream of live runs while the component is shown. */
import { useEffect, useState } from 'react'
import { readEventStream, type StreamState } from '../../api/event-stream.ts'
import type { ApiProblem } from '../../api/problem.ts'
import { useSession } from '../session/session.tsx'
import { afterEvent, type LiveState, nothingRuns } from './live-runs.ts'

type Followed = LiveState & { readonly stream: StreamState; readonly refused: ApiProblem | undefined }

/** Busy services send hundreds of events a second; the page draws them together. */
const DRAW_MS = 100

export function useLiveRuns(endpointId: string | undefined): Followed {
  const { credential } = useSession()
  const [state, setState] = useState(nothingRuns)
  const [stream, setStream] = useState<StreamState>('connecting')
  const [refused, setRefused] = useState<ApiProblem>()
  useEffect(() => {
    const leaving = new AbortController()
    const waiting: { readonly event: string; readonly data: string }[] = []
    const draw = () => {
      const events = waiting.splice(0)
      if (events.length === 0) return
      setState((before) =>
        events.reduce((now, { event, data }) => afterEvent(now, event, data, Date.now()), before),
      )
    }
    const timer = setInterval(draw, DRAW_MS)
    setState(nothingRuns)
    setRefused(undefined)
    readEventStream(`/api/admin/v1/executions/live/stream${queryOf(endpointId)}`, {
      credential,
      signal: leaving.signal,
      onEvent: ({ event = 'message', data }) => waiting.push({ event, data }),
      onState: setStream,
    }).catch((cause: ApiProblem) => setRefused(cause))
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [credential, endpointId])
  return { ...state, stream, refused }
}

const queryOf = (endpointId: string | undefined): string =>
  endpointId === undefined ? '' : `?${new URLSearchParams({ endpointId })}`
