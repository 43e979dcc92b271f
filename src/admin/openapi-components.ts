/**
 * The shapes of the admin API that have a name in the OpenAPI document, and the tags of its operations. A named shape that occurs
 * inside another shape becomes a reference to its name.
 */
import type { FastifyInstance } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import Type from '../kernel/type.ts'
import * as directory from '../schema/directory-shapes.ts'
import * as endpoints from '../schema/endpoint-shapes.ts'
import * as executions from '../schema/execution-shapes.ts'
import * as refreshes from '../schema/refresh-shapes.ts'
import { SampleRequest } from '../schema/sample-request.ts'
import * as schedules from '../schema/schedule-shapes.ts'
import {
  CheckedEndpoint,
  EndpointDraft,
  EndpointSummary,
  ScheduleDraft,
  ScriptFinding,
} from './endpoints/endpoint-shapes.ts'
import { RunReport } from './endpoints/run-shapes.ts'

export const adminTags = [
  { name: 'Sign-in', description: 'How operators sign in, and what the caller may do.' },
  {
    name: 'Endpoints',
    description:
      'Routes that run a script. Each has a draft, which can be tried and published, and all its published versions.',
  },
  { name: 'Executions', description: 'Runs of scripts: request, response, log and figures.' },
  { name: 'Schedules', description: 'When published endpoints run by themselves, and what became of it.' },
  { name: 'Clients', description: 'The clients of the current snapshot, and how many records each has.' },
  {
    name: 'Modules',
    description:
      'Functions that scripts of endpoints import. A published endpoint keeps the versions that it was published with.',
  },
  {
    name: 'Service accounts',
    description: 'Accounts that may read the records of a client, and their keys.',
  },
  { name: 'Snapshots', description: 'Published snapshots, rejected rows, and refreshes.' },
  { name: 'Secrets', description: 'Values for scripts. They can be written but never read.' },
  { name: 'Organizations', description: 'Organizations that scripts know. Each may have a parent.' },
  { name: 'Facet definitions', description: 'The facets that organizations and persons can have.' },
  { name: 'Persons', description: 'People, and the organizations that they belong to.' },
  { name: 'Notifications', description: 'Messages to operators, as a list and as a stream.' },
  {
    name: 'Webhooks',
    description: "Who is told when a client's data changed, and what became of each delivery.",
  },
  { name: 'Audit', description: 'Who changed what, and when.' },
  { name: 'System', description: 'How the service is set up, how it does, and what needs attention.' },
  { name: 'Tenant', description: 'The company that runs this service.' },
] as const

export type AdminTag = (typeof adminTags)[number]['name']

const DetailedError = Type.Object(
  {
    error: Type.String({ description: 'What went wrong' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'The place in the request, such as `/limits/loops`' }),
          message: Type.String(),
          line: Type.Optional(Type.Integer({ description: 'Line of a script, counted from 1' })),
          column: Type.Optional(Type.Integer({ description: 'Column of a script, counted from 1' })),
        }),
        { description: 'Every fault with its place, when a request can have several' },
      ),
    ),
  },
  { description: 'An error with its details' },
)

/** Inner shapes come first. */
const components: Readonly<Record<string, TSchema>> = {
  DetailedError,
  EndpointLimits: endpoints.EndpointLimits,
  SignatureCheck: endpoints.SignatureCheck,
  Deduplication: endpoints.Deduplication,
  Schedule: endpoints.Schedule,
  ScheduleDraft,
  EndpointDefinition: endpoints.EndpointDefinition,
  EndpointDraft,
  ScriptFinding,
  CheckedEndpoint,
  EndpointSummary,
  PublishedVersion: endpoints.PublishedVersion,
  LogEntry: executions.LogEntry,
  RecordedRequest: executions.RecordedRequest,
  RecordedResponse: executions.RecordedResponse,
  SeriesPoint: executions.SeriesPoint,
  RerunItem: executions.RerunItem,
  RerunJob: executions.RerunJob,
  ExecutionError: executions.ExecutionError,
  ExecutionSummary: executions.ExecutionSummary,
  Execution: executions.Execution,
  ExecutionStatistics: executions.ExecutionStatistics,
  Notepad: executions.Notepad,
  RefreshSummary: refreshes.RefreshSummary,
  RefreshRecord: refreshes.RefreshRecord,
  RefreshReason: refreshes.RefreshReason,
  RefreshProgress: refreshes.RefreshProgress,
  RejectGroup: refreshes.RejectGroup,
  ScheduleRun: schedules.ScheduleRun,
  ScheduleRunOutcome: schedules.ScheduleRunOutcome,
  ScheduleStatus: schedules.ScheduleStatus,
  SampleRequest,
  RunReport,
  FacetInstance: directory.FacetInstance,
  FacetDefinitionDraft: directory.FacetDefinitionDraft,
  FacetDefinition: directory.FacetDefinition,
  OrganizationDraft: directory.OrganizationDraft,
  Organization: directory.Organization,
  PersonDraft: directory.PersonDraft,
  Person: directory.Person,
  SecretSummary: directory.SecretSummary,
  SecretDraft: directory.SecretDraft,
  Notification: directory.Notification,
  Tenant: directory.Tenant,
  AuditRecord: directory.AuditRecord,
}

/** Must be called before the routes that use the shapes are added. */
export function addComponents(scope: FastifyInstance): void {
  for (const [name, schema] of named) scope.addSchema({ $id: name, ...schema })
}

/**
 * Copies a shape for the document, with references to named shapes. Compares JSON, because an optional shape is a copy. Every
 * server of the process gets the same copy: it must not be changed.
 */
export const documented = oncePerShape((shape: object): object => referred(shape) as object)

/** A copy of JSON in which named shapes are references. */
function referred(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(referred)
  const copy = withReferences(value)
  return referenceTo(copy) ?? copy
}

/** The same for a shape that is no reference itself. */
function withReferences(shape: object): object {
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(shape)) {
    if (member !== undefined) copy[name] = referred(member)
  }
  return copy
}

/**
 * The same for the parameters of an address. One with a default may be left out, although its shape requires it, because
 * handlers always get a value.
 */
export const documentedParameters = oncePerShape((shape: TObject): object => {
  const required = shape.required?.filter((name) => !('default' in (shape.properties[name] as TSchema)))
  return documented({ ...shape, required: required ?? [] })
})

/** The same for a body: members with a default may be left out of it, at any depth. */
export const documentedBody = oncePerShape((shape: object): object =>
  documented(
    JSON.parse(JSON.stringify(shape), (_name, value) => {
      if (!Array.isArray(value?.required) || value.properties === undefined) return value
      const required = value.required.filter((name: string) => !('default' in value.properties[name]))
      return { ...value, required }
    }),
  ),
)

/** Shapes never change, and a process may have many servers. */
function oncePerShape<Shape extends object>(document: (shape: Shape) => object): (shape: Shape) => object {
  const known = new WeakMap<Shape, object>()
  return (shape) => {
    const copy = known.get(shape) ?? document(shape)
    known.set(shape, copy)
    return copy
  }
}

const names = new Map<string, string>()
/** Most values have members that no named shape has. These need not be written as JSON to be compared. */
const membersOfNamed = new Set<string>()
const named = Object.entries(components).map(([name, shape]) => {
  const schema = withReferences(shape)
  names.set(JSON.stringify(schema), name)
  membersOfNamed.add(membersOf(schema))
  return [name, schema] as const
})

function referenceTo(shape: object): object | undefined {
  if (!membersOfNamed.has(membersOf(shape))) return undefined
  const name = names.get(JSON.stringify(shape))
  return name === undefined ? undefined : { $ref: `${name}#` }
}

/** The members of a shape and, of an object, its properties: no reference changes them. */
function membersOf(shape: object): string {
  const { properties = {} } = shape as { readonly properties?: object }
  return `${Object.keys(shape)} ${Object.keys(properties)}`
}
