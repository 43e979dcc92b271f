/** The state that the scripts of an endpoint keep from run to run. */
import { unknownState } from '../../directory/state/problems.ts'
import type { ListedState } from '../../directory/state/script-state.ts'
import Type from '../../kernel/type.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { endpointId } from './endpoint-shapes.ts'

const tag = 'Endpoints'
const unknown = 'There is no such endpoint'

const StateValue = Type.Object(
  {
    key: Type.String(),
    value: Type.Unknown({ description: 'The value, as the script has kept it' }),
    version: Type.Integer({ description: 'Grows with every change' }),
    bytes: Type.Integer({ description: 'Bytes of the key and of the value as JSON' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { description: 'A value that scripts of an endpoint keep from run to run' },
)

const listed: Listed<ListedState> = {
  sorts: {
    key: () => [],
    updatedAt: ({ updatedAt }) => [updatedAt],
    bytes: ({ bytes }) => [bytes],
  },
  id: ({ key }) => key,
  texts: ({ key }) => [key],
}

export const stateRoutes: ResourceRoutes = (add, { store: { endpoints, scriptState, audit } }) => {
  add({
    method: 'GET',
    path: '/endpoints/:id/state',
    operationId: 'listEndpointState',
    role: 'author',
    tag,
    summary: 'List what the scripts of an endpoint keep from run to run, by default sorted by key',
    description: 'Scripts read and write it with `GetState`, `SetState`, `IncrementState` and `DeleteState`.',
    params: endpointId,
    query: queryShape(listParameters(listed, 'the key')),
    answer: {
      description: 'A page of the state',
      shape: Type.Object({
        ...listShape(StateValue).properties,
        totalBytes: Type.Integer({ description: 'Bytes of the whole state, whatever `text` is' }),
      }),
    },
    refusals: { 404: unknown },
    leaves: {
      action: 'endpoint.view-state',
      entry: ({ params: { id } }) => ({ subjectId: id, after: null }),
    },
    handle: async ({ params: { id }, query }) => {
      const endpoint = await endpoints.find(id)
      const all = await scriptState.list(endpoint.id)
      const { items, ...page } = listOf(all, listed, query)
      return {
        items: items.map(({ value, ...item }) => ({ ...item, value: JSON.parse(value) })),
        ...page,
        totalBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      }
    },
  })
  add({
    method: 'DELETE',
    path: '/endpoints/:id/state/:key',
    operationId: 'deleteEndpointStateKey',
    role: 'author',
    tag,
    summary: 'Delete one key of the state of an endpoint',
    params: Type.Object({ ...endpointId.properties, key: Type.String({ description: 'The key' }) }),
    answer: { status: 204, description: 'The key is deleted' },
    refusals: { 404: 'There is no such endpoint or key' },
    handle: async ({ params: { id, key }, by }) => {
      const endpoint = await endpoints.find(id)
      if (!(await scriptState.remove(endpoint.id, key))) throw unknownState(key)
      await audit.note({ action: 'endpoint.state-delete', subjectId: endpoint.id, actor: by, after: { key } })
    },
  })
  add({
    method: 'DELETE',
    path: '/endpoints/:id/state',
    operationId: 'deleteEndpointState',
    role: 'author',
    tag,
    summary: 'Delete the whole state of an endpoint',
    params: endpointId,
    answer: { status: 204, description: 'The state is empty' },
    refusals: { 404: unknown },
    handle: async ({ params: { id }, by }) => {
      const endpoint = await endpoints.find(id)
      const keys = await scriptState.clear(endpoint.id)
      await audit.note({
        action: 'endpoint.state-delete',
        subjectId: endpoint.id,
        actor: by,
        after: { keys },
      })
    },
  })
}
