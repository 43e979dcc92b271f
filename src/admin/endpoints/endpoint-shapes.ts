/** Endpoints as the admin API takes and returns them: as stored, with the problems of the script. */
import type { Static } from 'typebox'
import type { PlacedProblem } from '../../automation/operations/check-endpoint.ts'
import type { EndpointState } from '../../directory/endpoints/endpoints.ts'
import Type from '../../kernel/type.ts'
import {
  Endpoint,
  EndpointDefinition,
  endpointCategories,
  PublishedVersion,
  Schedule,
} from '../../schema/endpoint-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { Resource } from '../changes/resource.ts'
import { requestShape } from '../request-shape.ts'

/** Members that have a default may be left out. */
export const ScheduleDraft = requestShape(Schedule)

/** Members that have a default may be left out. */
export const EndpointDraft: typeof EndpointDefinition = requestShape(
  Type.Object(
    {
      ...EndpointDefinition.properties,
      schedules: Type.Array(ScheduleDraft, { maxItems: 20, default: [] }),
    },
    { additionalProperties: false, description: 'What an operator defines' },
  ),
)

export const ScriptFinding = Type.Object(
  {
    code: Type.String({ description: 'Code of the script language, such as JM3001' }),
    message: Type.String(),
    line: nullable(Type.Integer({ description: 'Line, counted from 1; null for the whole script' })),
    column: nullable(Type.Integer({ description: 'Column, counted from 1; null for the whole script' })),
  },
  { description: 'A problem or a warning of a script' },
)

export const CheckedEndpoint = Type.Object(
  {
    ...Endpoint.properties,
    problems: Type.Array(ScriptFinding, {
      description: "Problems of the draft's script. A draft with problems cannot be published",
    }),
  },
  { description: 'An endpoint with its draft; callers see the published version' },
)

export const endpointStates: readonly EndpointState[] = ['active', 'inactive', 'draft', 'changed']

const { properties: definition } = EndpointDefinition
const { properties: endpoint } = Endpoint

export const EndpointSummary = Type.Object(
  {
    id: endpoint.id,
    name: Type.String(),
    description: Type.String(),
    category: Type.Enum([...endpointCategories]),
    method: definition.method,
    path: definition.path,
    requiresAuthentication: Type.Boolean(),
    allowedRoles: definition.allowedRoles,
    draftRevision: endpoint.draftRevision,
    draftChangedAt: endpoint.draftChangedAt,
    draftChangedBy: endpoint.draftChangedBy,
    hasUnpublishedChanges: endpoint.hasUnpublishedChanges,
    active: endpoint.active,
    published: endpoint.published,
    createdAt: endpoint.createdAt,
  },
  { description: 'An endpoint as lists show it: the members of its draft without the script' },
)

export const VersionSummary = Type.Omit(PublishedVersion, ['definition'], {
  description: 'A version as lists show it',
})

/** Leaves out the offsets, because line and column give the place already. */
export const findings = (problems: readonly PlacedProblem[]): Static<typeof ScriptFinding>[] =>
  problems.map(({ code, message, line, column }) => ({ code, message, line, column }))

export const summaryOf = ({ draft, ...rest }: Static<typeof Endpoint>): Static<typeof EndpointSummary> => {
  const { name, description, category, method, path, requiresAuthentication, allowedRoles } = draft
  return { ...rest, name, description, category, method, path, requiresAuthentication, allowedRoles }
}

export const endpointId = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Id of the endpoint' }),
})

/** The stored endpoint, without the findings in its script. */
export const endpointResource: Resource<{ readonly id: string }> = {
  read: ({ endpoints }, { id }) => endpoints.find(id),
  without: ['problems'],
}
