/** The published versions of a module, compared with each other and with the draft. */
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import type { EditedDraft } from '../../parts/draft/use-draft.ts'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { Comparison } from '../scripting/comparison.tsx'
import type { Module, ModuleDraft, VersionRow } from '../scripting/definition-types.ts'
import { VersionTable } from '../scripting/version-table.tsx'
import { useSession } from '../session/session.tsx'

type Props = { readonly edited: EditedDraft<Module, ModuleDraft> }

export function ModuleVersionsTab({ edited }: Props): ReactNode {
  const { api } = useSession()
  const { name } = edited.saved
  const [{ from, to = 'draft' }, change] = useAddress()
  const list = useList<VersionRow>({
    key: ['module-versions', name],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/modules/{name}/versions', {
          params: { path: { name }, query: after === undefined ? {} : { after } },
          signal,
        }),
      ),
  })
  return (
    <Stack gap="lg">
      <VersionTable list={list} onCompare={(version) => change({ from: String(version), to: 'draft' })} />
      {from !== undefined && (
        <ModuleComparison
          name={name}
          from={from}
          to={to}
          edited={edited}
          versions={list.rows}
          onChange={change}
        />
      )}
    </Stack>
  )
}

type ComparisonProps = Props & {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly versions: readonly VersionRow[]
  readonly onChange: (editions: { readonly from?: string; readonly to?: string }) => void
}

function ModuleComparison({ name, from, to, edited, versions, onChange }: ComparisonProps): ReactNode {
  const before = useEdition(name, from, edited.draft)
  const after = useEdition(name, to, edited.draft)
  return (
    <Comparison
      {...{ from, to, versions, onChange }}
      before={before.data}
      after={after.data}
      error={before.error ?? after.error}
    />
  )
}

function useEdition(name: string, edition: string, draft: ModuleDraft) {
  const { api } = useSession()
  const query = useQuery({
    queryKey: ['module-version', name, edition],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: edition !== 'draft',
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/modules/{name}/versions/{version}', {
          params: { path: { name, version: Number(edition) } },
          signal,
        }),
      ),
  })
  const script = edition === 'draft' ? draft.script : query.data?.script
  return { data: script === undefined ? undefined : { script }, error: query.error }
}
