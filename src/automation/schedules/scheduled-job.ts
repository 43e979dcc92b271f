/**
 * Makes the job of a run by schedule. The script gets the input as it gets the JSON body of a request, so that one script can serve
 * a route and a schedule; `Data.request.schedule` tells them apart.
 *
 * The record of the run has method, path and query as given here, from which a rerun makes the same request again.
 */
import { anonymous, type User } from '../../kernel/user.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { type RunJob, recordingOf, type ScriptRequest } from '../runs/run-states.ts'
import { signatureHeaders } from '../webhooks/signature.ts'

/** Stands where requests have their method. */
const METHOD = 'SCHEDULE'
const PATH = '/schedules/'

type Due = {
  readonly schedule: string
  /** RFC 3339 in UTC. */
  readonly dueAt: string
  readonly input: unknown
  /** The roles of the endpoint: a script that asks for one of them does the same for the schedule. */
  readonly allowedRoles: readonly string[]
}

export const scheduledRequest = ({ schedule, dueAt, input, allowedRoles }: Due): ScriptRequest => ({
  method: METHOD,
  path: PATH + schedule,
  queryString: `?${new URLSearchParams({ dueAt })}`,
  query: { dueAt },
  headers: { 'content-type': 'application/json' },
  params: {},
  rawBody: JSON.stringify(input),
  bodyKind: 'json',
  user: { ...userOf(schedule), roles: allowedRoles },
  schedule: { name: schedule, dueAt },
})

/** Tokens name users and services, so no caller has this name. */
const userOf = (schedule: string): User => ({
  ...anonymous,
  isAuthenticated: true,
  name: schedule,
  principalId: `schedule:${schedule}`,
})

/** The member `schedule` of a recorded request; nothing for a request that a caller sent. */
export function recordedSchedule({
  method,
  path,
  queryString,
}: Pick<ScriptRequest, 'method' | 'path' | 'queryString'>): Pick<ScriptRequest, 'schedule'> {
  if (method !== METHOD) return {}
  const dueAt = new URLSearchParams(queryString).get('dueAt') ?? ''
  return { schedule: { name: path.slice(PATH.length), dueAt } }
}

type Published = {
  readonly endpointId: string
  readonly version: number
  readonly definition: EndpointDefinition
}

export const scheduledJob = (
  executionId: string,
  { endpointId: id, version, definition }: Published,
  due: Pick<Due, 'schedule' | 'dueAt' | 'input'>,
  arrivedAt: number,
): RunJob => ({
  executionId,
  type: 'ScheduledScript',
  endpoint: {
    id,
    name: definition.name,
    category: definition.category,
    limits: definition.limits,
    allowedHosts: definition.allowedHosts,
  },
  source: { version },
  request: scheduledRequest({ ...due, allowedRoles: definition.allowedRoles }),
  requestId: null,
  rerunOf: null,
  signatureHeaders: signatureHeaders(definition.signature),
  // The address of a schedule has nothing of a caller.
  ...recordingOf(definition, PATH + due.schedule),
  arrivedAt,
})
