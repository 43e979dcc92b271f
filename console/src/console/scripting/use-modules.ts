/** The modules that scripts can import, for the editor: read once and kept for a minute. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { ModuleSource } from '../../parts/script/assistance.ts'
import { useSession } from '../session/session.tsx'

const FRESH_MS = 60_000

export function useModules(): ModuleSource {
  const { api } = useSession()
  const queries = useQueryClient()
  return useMemo(() => {
    const list = () =>
      queries.fetchQuery({
        queryKey: ['module-names'],
        staleTime: FRESH_MS,
        queryFn: () => dataOf(api.GET('/api/admin/v1/modules', { params: { query: { limit: 500 } } })),
      })
    const read = (name: string, version: number) =>
      queries.fetchQuery({
        queryKey: ['module-text', name, version],
        // A published version never changes.
        staleTime: Number.POSITIVE_INFINITY,
        queryFn: () =>
          dataOf(
            api.GET('/api/admin/v1/modules/{name}/versions/{version}', {
              params: { path: { name, version } },
            }),
          ),
      })
    return {
      names: async () =>
        (await list()).items.filter(({ version }) => version !== null).map(({ name }) => name),
      find: async (name, version) => {
        const number = version ?? (await list()).items.find((module) => module.name === name)?.version ?? null
        if (number === null) return null
        const found = await read(name, number).catch((cause: unknown) => {
          if (cause instanceof ApiProblem && cause.status === 404) return null
          throw cause
        })
        return found === null ? null : { name, version: number, script: found.script }
      },
    }
  }, [api, queries])
}
