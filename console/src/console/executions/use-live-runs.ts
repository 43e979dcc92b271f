/** Follows the stream of live runs while the component is shown. */
import { useEffect, useState } from 'react'
import { readEventStream, type StreamTrouble } from '../../api/event-stream.ts'
import type { ApiProblem } from '../../api/problem.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useSession } from '../session/session.tsx'
import { afterEvent, type LiveState, nothingRuns } from './live-runs.ts'

type Followed = LiveState & {
  readonly isOpen: boolean
  readonly trouble: StreamTrouble | undefined
  /** After a refusal. */
  readonly retry: () => void
}

/** Busy services send hundreds of events a second; the page draws them together. */
const DRAW_MS = 100

export function useLiveRuns(endpointId: string | undefined): Followed {
  const { credential } = useSession()
  const [state, setState] = useState(nothingRuns)
  const [isOpen, setOpen] = useState(false)
  const [trouble, setTrouble] = useState<StreamTrouble>()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the stream anew
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
    setTrouble(undefined)
    readEventStream(`${serviceAddress()}/api/admin/v1/executions/live/stream${queryOf(endpointId)}`, {
      credential,
      signal: leaving.signal,
      onEvent: ({ event = 'message', data }) => waiting.push({ event, data }),
      onState: (stream, problem) => {
        setOpen(stream === 'open')
        // What is wrong is said until an attempt succeeds.
        if (problem !== undefined) setTrouble({ problem, isRefused: false })
        else if (stream === 'open') setTrouble(undefined)
      },
    }).catch((problem: ApiProblem) => setTrouble({ problem, isRefused: true }))
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [credential, endpointId, attempt])
  return { ...state, isOpen, trouble, retry: () => setAttempt((before) => before + 1) }
}

const queryOf = (endpointId: string | undefined): string =>
  endpointId === undefined ? '' : `?${new URLSearchParams({ endpointId })}`
