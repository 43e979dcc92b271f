/**
 * The shapes of the admin API that have a name in the OpenAPI document, and the subjects that its operations are sorted by. A
 * shape that occurs inside another one becomes a reference to its name.
 */
import type { FastifyInstance } from 'fastify'
import Type, { type TSchema } from 'typebox'
import * as directory from '../schema/directory-shapes.ts'
import * as endpoints from '../schema/endpoint-shapes.ts'
import * as executions from '../schema/execution-shapes.ts'
import { SampleRequest } from '../schema/sample-request.ts'
import {
  CheckedEndpoint,
  EndpointDraft,
  EndpointSummary,
  ScriptFinding,
} from './endpoints/endpoint-shapes.ts'
import { RunReport } from './endpoints/run-shapes.ts'

export const adminTags = [
  {
    name: 'Endpoints',
    description: 'Routes that run a script: a draft that is tried and published, and every version that was.',
  },
  { name: 'Executions', description: 'Runs of scripts: what came in, what went out and what happened.' },
  { name: 'Clients', description: 'Whose records the current snapshot has, and how many.' },
  { name: 'Service accounts', description: 'Who may read the records of a client, and their keys.' },
  { name: 'Snapshots', description: 'What was extracted and published, and what was rejected.' },
  { name: 'Secrets', description: 'Values for scripts. They are written and never shown.' },
  { name: 'Organizations', description: 'Organizations that scripts know, as a forest.' },
  { name: 'Facet definitions', description: 'What can be recorded of organizations and persons.' },
  { name: 'Persons', description: 'People, and the organizations that they belong to.' },
  { name: 'Notifications', description: 'Messages to operators, as a list and as a stream.' },
  { name: 'Audit', description: 'Who changed what, and when.' },
  { name: 'Tenant', description: 'Whom this service belongs to.' },
] as const

export type AdminTag = (typeof adminTags)[number]['name']

const DetailedError = Type.Object(
  {
    error: Type.String({ description: 'What went wrong' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Where in what was sent, such as `/limits/loops`' }),
          message: Type.String(),
          line: Type.Optional(Type.Integer({ description: 'In a script; counted from 1' })),
          column: Type.Optional(Type.Integer({ description: 'In a script; counted from 1' })),
        }),
        { description: 'Everything that is wrong, where there may be more than one thing' },
      ),
    ),
  },
  { description: 'What went wrong, in parts' },
)

/** Inner ones come first. */
const components: Readonly<Record<string, TSchema>> = {
  DetailedError,
  EndpointLimits: endpoints.EndpointLimits,
  SignatureCheck: endpoints.SignatureCheck,
  Deduplication: endpoints.Deduplication,
  EndpointDefinition: endpoints.EndpointDefinition,
  EndpointDraft,
  ScriptFinding,
  CheckedEndpoint,
  EndpointSummary,
  PublishedVersion: endpoints.PublishedVersion,
  LogEntry: executions.LogEntry,
  RecordedRequest: executions.RecordedRequest,
  RecordedResponse: executions.RecordedResponse,
  ExecutionError: executions.ExecutionError,
  ExecutionSummary: executions.ExecutionSummary,
  Execution: executions.Execution,
  ExecutionStatistics: executions.ExecutionStatistics,
  Notepad: executions.Notepad,
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

/** Has to be called before the routes that name them are added. */
export function addComponents(scope: FastifyInstance): void {
  for (const [name, schema] of named) scope.addSchema({ $id: name, ...schema })
}

/** A copy for the document: what is named has a reference. Texts are compared, for an optional shape is a copy of the shape. */
export function documented(shape: TSchema): object {
  const own = JSON.stringify(shape)
  return JSON.parse(own, (_name, value) => referenceTo(value) ?? value)
}

const names = new Map<string, string>()
const named = Object.entries(components).map(([name, shape]) => {
  const schema = JSON.parse(JSON.stringify(shape), (key, value) =>
    key === '' ? value : (referenceTo(value) ?? value),
  )
  names.set(JSON.stringify(schema), name)
  return [name, schema] as const
})

function referenceTo(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const name = names.get(JSON.stringify(value))
  return name === undefined ? undefined : { $ref: `${name}#` }
}
