/** An endpoint with its draft, and the changes that one can make. */
import { useQueryClient } from '@tanstack/react-query'
import { type Answer, answerOf } from '../../api/client.ts'
import { type LoadedDraft, useDraft } from '../../parts/draft/use-draft.ts'
import type { Endpoint, EndpointDefinition } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'

export type EndpointChanges = {
  readonly publish: (note: string | null, revision: number) => Promise<Answer<Endpoint>>
  readonly setActive: (active: boolean, etag: string) => Promise<Answer<Endpoint>>
  readonly restore: (version: number, etag: string) => Promise<Answer<Endpoint>>
  readonly remove: (etag: string) => Promise<void>
}

export const draftOf = ({ draft }: Endpoint): EndpointDefinition => draft

export function useEndpoint(id: string): LoadedDraft<Endpoint, EndpointDefinition> {
  const { api } = useSession()
  const path = { id }
  return useDraft<Endpoint, EndpointDefinition>({
    key: ['endpoint', id],
    read: (signal) =>
      answerOf(api.GET('/api/admin/v1/endpoints/{id}', { params: { path }, ...(signal && { signal }) })),
    draftOf,
    write: (draft, etag) =>
      answerOf(
        api.PUT('/api/admin/v1/endpoints/{id}', {
          params: { path, header: { 'if-match': etag } },
          body: draft,
        }),
      ),
  })
}

/** All but saving. What the lists show is read again afterwards. */
export function useEndpointChanges(id: string): EndpointChanges {
  const { api } = useSession()
  const queries = useQueryClient()
  const path = { id }
  const done = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    for (const name of ['endpoints', 'endpoint-versions', 'schedules']) {
      void queries.invalidateQueries({ queryKey: [name] })
    }
    return result
  }
  return {
    publish: (note, revision) =>
      done(
        answerOf(
          api.POST('/api/admin/v1/endpoints/{id}/publish', { params: { path }, body: { note, revision } }),
        ),
      ),
    setActive: (active, etag) => {
      const params = { path, header: { 'if-match': etag } }
      return done(
        answerOf(
          active
            ? api.POST('/api/admin/v1/endpoints/{id}/activate', { params })
            : api.POST('/api/admin/v1/endpoints/{id}/deactivate', { params }),
        ),
      )
    },
    restore: (version, etag) =>
      done(
        answerOf(
          api.POST('/api/admin/v1/endpoints/{id}/versions/{version}/restore', {
            params: { path: { id, version }, header: { 'if-match': etag } },
          }),
        ),
      ),
    remove: async (etag) => {
      await done(
        answerOf(
          api.DELETE('/api/admin/v1/endpoints/{id}', { params: { path, header: { 'if-match': etag } } }),
        ),
      )
    },
  }
}
