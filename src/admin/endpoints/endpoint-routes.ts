/** Endpoints: their drafts, what is published of them, and whether they answer. */
import Type from 'typebox'
import { fold } from '../../kernel/text.ts'
import { type Endpoint, endpointCategories, endpointMethods } from '../../schema/endpoint-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { pageOf, pageParameters, pageShape, queryShape } from '../paging.ts'
import {
  CheckedEndpoint,
  EndpointDraft,
  EndpointSummary,
  endpointId,
  endpointStates,
  findings,
  summaryOf,
} from './endpoint-shapes.ts'

const params = endpointId
const tag = 'Endpoints'
const unknown = 'There is no such endpoint'
const taken = 'Another endpoint has the name, or answers the method and path'

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
    tag,
    summary: 'The endpoints, by name',
    description:
      'What is told of an endpoint is what its draft says. Filters other than `state` look at the draft too.',
    query: queryShape({
      category: Type.Optional(Type.Enum([...endpointCategories], { description: 'Of this category only' })),
      method: Type.Optional(Type.Enum([...endpointMethods], { description: 'That answer this method only' })),
      state: Type.Optional(
        Type.Enum([...endpointStates], {
          description:
            '`active`: callers reach it; `inactive`: published, but switched off; `draft`: never published; `changed`: published, with a draft that differs',
        }),
      ),
      text: Type.Optional(
        Type.String({ description: 'Within name, description or path, without regard to case' }),
      ),
      ...pageParameters,
    }),
    answer: { description: 'A page of the endpoints', shape: pageShape(EndpointSummary) },
    handle: async ({ query: { limit, after, ...filter } }) => {
      const found = await endpoints.list(filter)
      const { items, next } = pageOf(found, ({ draft }) => [fold(draft.name)], { limit, after })
      return { items: items.map(summaryOf), next }
    },
  })
  add({
    method: 'GET',
    path: '/endpoints/:id',
    operationId: 'getEndpoint',
    tag,
    summary: 'One endpoint with its draft',
    params,
    answer,
    refusals: { 404: unknown },
    handle: async ({ params: { id } }) => checked(deps, await endpoints.find(id)),
  })
}

function draftRoutes(add: AddRoute, deps: AdminDeps): void {
  const { endpoints } = deps.store
  add({
    method: 'POST',
    path: '/endpoints',
    operationId: 'createEndpoint',
    tag,
    summary: 'Create an endpoint',
    description:
      'The body is its draft; nobody reaches it until it is published. A script with problems is saved too: the answer tells them.',
    body: EndpointDraft,
    answer: { status: 201, description: 'The endpoint', shape: CheckedEndpoint },
    refusals: { 409: taken },
    handle: async ({ body, by }) => checked(deps, await endpoints.create(body, by)),
  })
  add({
    method: 'PUT',
    path: '/endpoints/:id',
    operationId: 'saveEndpointDraft',
    tag,
    summary: 'Replace the draft',
    description:
      'Callers go on with the published version. A script with problems is saved too: the answer tells them.',
    params,
    query: queryShape({
      revision: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            '`draftRevision` of the draft that was changed: when somebody has saved another one since, the answer is 409. Left out, the draft is overwritten',
        }),
      ),
    }),
    body: EndpointDraft,
    answer,
    refusals: { 404: unknown, 409: `${taken}, or the draft is not of that revision any more` },
    handle: async ({ params: { id }, query: { revision }, body, by }) =>
      checked(deps, await endpoints.saveDraft(id, body, by, revision)),
  })
  add({
    method: 'DELETE',
    path: '/endpoints/:id',
    operationId: 'deleteEndpoint',
    tag,
    summary: 'Delete an endpoint with all its versions',
    description: 'Callers get 404 from the next request. The history of its runs stays.',
    params,
    answer: { status: 204, description: 'It is gone' },
    refusals: { 404: unknown },
    handle: ({ params: { id }, by }) => endpoints.remove(id, by),
  })
}

function publishingRoutes(add: AddRoute, deps: AdminDeps): void {
  const { endpoints } = deps.store
  add({
    method: 'POST',
    path: '/endpoints/:id/publish',
    operationId: 'publishEndpoint',
    tag,
    summary: 'Publish the draft',
    description:
      'It becomes the next version, which answers from the next request. The first publication also activates the endpoint.',
    params,
    body: Type.Object(
      {
        note: Type.Optional(nullable(Type.String({ description: 'Why, in at most 500 characters' }))),
        revision: Type.Optional(
          Type.Integer({ minimum: 1, description: '`draftRevision` of the draft that is meant' }),
        ),
      },
      { additionalProperties: false },
    ),
    answer,
    refusals: {
      404: unknown,
      409: 'The script has problems, which `details` tells; nothing differs from the published version; the draft is not of that revision any more; or another endpoint answers the method and path',
    },
    handle: async ({ params: { id }, body, by }) =>
      checked(deps, await deps.operations.publish(id, by, body)),
  })
  for (const [action, active, summary, description] of [
    ['activate', true, 'Let the published version answer', 'From the next request.'],
    [
      'deactivate',
      false,
      'Let callers find nothing',
      'From the next request. Its method and path stay taken.',
    ],
  ] as const) {
    add({
      method: 'POST',
      path: `/endpoints/:id/${action}`,
      operationId: `${action}Endpoint`,
      tag,
      summary,
      description,
      params,
      answer,
      refusals: { 404: unknown, ...(active && { 409: 'Nothing of it was ever published' }) },
      handle: async ({ params: { id }, by }) => checked(deps, await endpoints.setActive(id, active, by)),
    })
  }
}
