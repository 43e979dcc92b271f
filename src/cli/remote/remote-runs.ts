/** Schedules, what operators hold, and the runs that wait or run, over the admin API. */
import type { HeldSubject, HoldState } from '../../directory/holds/held.ts'
import type { LiveRun } from '../../schema/execution-shapes.ts'
import type { ScheduleRun, ScheduleStatus } from '../../schema/schedule-shapes.ts'
import type { AdminClient } from './admin-client.ts'
import type { EndpointService } from './endpoint-service.ts'

export function remoteSchedules(client: AdminClient): EndpointService['schedules'] {
  const change = async <Body>(
    { endpointId, name }: { readonly endpointId: string; readonly name: string },
    action: 'run' | 'pause' | 'resume',
  ): Promise<Body> => {
    const path = `/endpoints/${encodeURIComponent(endpointId)}/schedules/${encodeURIComponent(name)}/${action}`
    // The operator wants the schedule paused, whatever else has changed.
    return (await client.send<Body>('POST', path, action === 'run' ? {} : { ifMatch: '*' })).body
  }
  return {
    list: ({ text } = {}) => client.all<ScheduleStatus>('/schedules', { text }),
    run: (key) => change<ScheduleRun>(key, 'run'),
    setPaused: (key, paused) => change<ScheduleStatus>(key, paused ? 'pause' : 'resume'),
  }
}

export function remoteHolds(client: AdminClient): EndpointService['holds'] {
  const change = async (subject: HeldSubject, verb: 'hold' | 'resume', sent: object = {}) =>
    (await client.send<HoldState>('POST', `/holds/${subject}/${verb}`, sent)).body
  return {
    find: async (subject) => {
      const { body } = await client.get<{ readonly items: readonly HoldState[] }>('/holds')
      return body.items.find((item) => item.subject === subject) ?? { subject, held: null, resumedAt: null }
    },
    hold: (subject, { reason }) => change(subject, 'hold', { body: { reason } }),
    resume: (subject) => change(subject, 'resume'),
  }
}

type LivePage = {
  readonly items: readonly LiveRun[]
  readonly next: string | null
  readonly silentNodes: readonly string[]
}

type Cancelled = { readonly cancelled: readonly string[] }

export function remoteLiveRuns(client: AdminClient): EndpointService['liveRuns'] {
  return {
    list: async () => {
      const runs: LiveRun[] = []
      let after: string | undefined
      for (;;) {
        const { body } = await client.get<LivePage>('/executions/live', { limit: 500, after })
        runs.push(...body.items)
        if (body.next === null) return { runs, silent: body.silentNodes }
        after = body.next
      }
    },
    cancel: async (target) => {
      const path =
        'id' in target
          ? `/executions/live/${encodeURIComponent(target.id)}/cancel`
          : `/endpoints/${encodeURIComponent(target.endpointId)}/cancel-runs`
      const { body } = await client.send<Cancelled>('POST', path)
      return { ...body, silent: [] }
    },
  }
}
