/** Endpoints: their drafts, their publication, and whether they are active. */

import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { type Endpoint, endpointCategories, endpointMethods } from '../../schema/endpoint-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import {
  CheckedEndpoint,
  EndpointDraft,
  EndpointSummary,
  endpointId,
  endpointResource,
  endpointStates,
  findings,
  summaryOf,
} from './endpoint-shapes.ts'

const params = endpointId
const tag = 'Endpoints'
const unknown = 'There is no such endpoint'
const taken = 'Another endpoint has the name, or the method and path'

const listed: Listed<Endpoint> = {
  sorts: {
    name: ({ draft }) => [fold(draft.name)],
    category: ({ draft }) => [draft.category, fold(draft.name)],
    path: ({ draft }) => [fold(draft.path ?? ''), draft.method ?? ''],
    draftChangedAt: ({ draftChangedAt }) => [draftChangedAt],
  },
  id: ({ id }) => id,
  texts: ({ draft }) => [draft.name, draft.description, draft.path ?? ''],
}

export const endpointRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  draftRoutes(add, deps)
  publishingRoutes(add, deps)
}

const checked = async ({ operations }: AdminDeps, endpoint: Endpoint) => ({
  ...endpoint,
  problems: findings(await operations.problemsOf(endpoint.draft)),
})

const answer = { description: 'The endpoint as it is now', shape: CheckedEndpoint } as const

function readingRoutes(add: AddRoute, deps: AdminDeps): void {
  const { endpoints } = deps.store
  add({
    method: 'GET',
    path: '/endpoints',
    operationId: 'listEndpoints',
    role: 'viewer',
    tag,
    summary: 'List endpoints, by default sorted by name',
    description:
      'The members of each endpoint come from its draft. All filters except `state` compare the draft too.',
    query: queryShape({
      category: Type.Optional(
        Type.Enum([...endpointCategories], { description: 'Only endpoints of this category' }),
      ),
      method: Type.Optional(
        Type.Enum([...endpointMethods], { description: 'Only endpoints with this method' }),
      ),
      state: Type.Optional(
        Type.Enum([...endpointStates], {
          description:
            '`active`: callers reach it; `inactive`: published, but deactivated; `draft`: never published; `changed`: published, and the draft differs',
        }),
      ),
      ...listParameters(listed, 'name, description or path'),
    }),
    answer: { description: 'A page of endpoints', shape: listShape(EndpointSummary) },
    handle: async ({ query: { category, method, state, ...query } }) => {
      const found = await endpoints.list({ category, method, state })
      const { items, ...page } = listOf(found, listed, query)
      return { items: items.map(summaryOf), ...page }
    },
  })
  add({
    method: 'GET',
    path: '/endpoints/:id',
    operationId: 'getEndpoint',
    role: 'viewer',
    tag,
    summary: 'Get an endpoint with its draft',
    params,
    answer,
    refusals: { 404: unknown },
    resource: endpointResource,
    handle: async ({ params: { id } }) => checked(deps, await endpoints.find(id)),
  })
}

function draftRoutes(add: AddRoute, deps: AdminDeps): void {
  const { endpoints } = deps.store
  add({
    method: 'POST',
    path: '/endpoints',
    operationId: 'createEndpoint',
    role: 'author',
    tag,
    summary: 'Create an endpoint',
    description:
      'The body is the draft. Callers cannot reach the endpoint until it is published. A script with problems is saved too, and the response lists the problems.',
    body: EndpointDraft,
    answer: { status: 201, description: 'The endpoint', shape: CheckedEndpoint },
    refusals: { 409: taken },
    resource: endpointResource,
    handle: async ({ body, by }) => checked(deps, await endpoints.create(body, by)),
  })
  add({
    method: 'PUT',
    path: '/endpoints/:id',
    operationId: 'saveEndpointDraft',
    role: 'author',
    tag,
    summary: 'Replace the draft',
    description:
      'Callers still reach the published version. A script with problems is saved too, and the response lists the problems.',
    params,
    query: queryShape({
      revision: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            '`draftRevision` of the draft that was edited. When another draft was saved since, the request is refused with 409. Without it, the draft is overwritten',
        }),
      ),
    }),
    body: EndpointDraft,
    answer,
    refusals: { 404: unknown, 409: `${taken}, or the draft has another revision by now` },
    resource: endpointResource,
    handle: async ({ params: { id }, query: { revision }, body, by }) =>
      checked(deps, await endpoints.saveDraft(id, body, by, revision)),
  })
  add({
    method: 'DELETE',
    path: '/endpoints/:id',
    operationId: 'deleteEndpoint',
    role: 'admin',
    tag,
    summary: 'Delete an endpoint with all its versions',
    description: 'Callers get 404 from the next request on. The history of its runs stays.',
    params,
    answer: { status: 204, description: 'The endpoint is deleted' },
    refusals: { 404: unknown },
    resource: endpointResource,
    handle: ({ params: { id }, by }) => endpoints.remove(id, by),
  })
}

function publishingRoutes(add: AddRoute, deps: AdminDeps): void {
  const { endpoints } = deps.store
  add({
    method: 'POST',
    path: '/endpoints/:id/publish',
    operationId: 'publishEndpoint',
    role: 'author',
    tag,
    summary: 'Publish the draft',
    description:
      'The draft becomes the next version, which callers reach from the next request on. The first publication also activates the endpoint.',
    params,
    body: Type.Object(
      {
        note: Type.Optional(
          nullable(Type.String({ description: 'Why it is published, in at most 500 characters' })),
        ),
        revision: Type.Optional(
          Type.Integer({ minimum: 1, description: '`draftRevision` of the draft to publish' }),
        ),
      },
      { additionalProperties: false },
    ),
    answer,
    refusals: {
      404: unknown,
      409: 'The script has problems, which `details` lists; the draft equals the published version; the draft has another revision by now; or another endpoint has the method and path',
    },
    resource: endpointResource,
    handle: async ({ params: { id }, body, by }) =>
      checked(deps, await deps.operations.publish(id, by, body)),
  })
  for (const [action, active, summary, description] of [
    [
      'activate',
      true,
      'Activate an endpoint',
      'Callers reach the published version from the next request on.',
    ],
    [
      'deactivate',
      false,
      'Deactivate an endpoint',
      'Callers get 404 from the next request on. No other endpoint can take its method and path.',
    ],
  ] as const) {
    add({
      method: 'POST',
      path: `/endpoints/:id/${action}`,
      operationId: `${action}Endpoint`,
      role: 'author',
      tag,
      summary,
      description,
      params,
      answer,
      refusals: { 404: unknown, ...(active && { 409: 'The endpoint was never published' }) },
      resource: endpointResource,
      handle: async ({ params: { id }, by }) => checked(deps, await endpoints.setActive(id, active, by)),
    })
  }
}
