/** The published versions of an endpoint: compared with each other and with the draft, and restored. */
import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../../api/client.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import type { EditedDraft } from '../../../parts/draft/use-draft.ts'
import { useAddress } from '../../../parts/use-address.ts'
import { useList } from '../../../parts/use-list.ts'
import { scriptingTexts as texts } from '../../../texts/scripts/scripting.ts'
import { Comparison } from '../../scripting/comparison.tsx'
import type { Endpoint, EndpointDefinition, VersionRow } from '../../scripting/definition-types.ts'
import { VersionTable } from '../../scripting/version-table.tsx'
import { useSession } from '../../session/session.tsx'
import { useEndpointChanges } from '../use-endpoint.ts'

type Props = { readonly edited: EditedDraft<Endpoint, EndpointDefinition> }

export function VersionsTab({ edited }: Props): ReactNode {
  const { api, may } = useSession()
  const { id } = edited.saved
  const changes = useEndpointChanges(id)
  const [address, change] = useAddress()
  const [restored, setRestored] = useState<number>()
  const list = useList<VersionRow>({
    key: ['endpoint-versions', id],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/endpoints/{id}/versions', {
          params: { path: { id }, query: after === undefined ? {} : { after } },
          signal,
        }),
      ),
  })
  const restore = async (version: number) => {
    edited.adopt(await changes.restore(version, edited.etag))
    notifications.show({ message: texts.restored(version) })
  }
  const { from, to = 'draft' } = address
  return (
    <Stack gap="lg">
      <VersionTable
        list={list}
        onCompare={(version) => change({ from: String(version), to: 'draft' })}
        {...(may('restoreEndpointVersion') && { onRestore: setRestored })}
      />
      {from !== undefined && (
        <EditionComparison
          id={id}
          from={from}
          to={to}
          edited={edited}
          versions={list.rows}
          onChange={change}
        />
      )}
      <ConfirmDialog
        isOpen={restored !== undefined}
        title={texts.restoreTitle}
        action={texts.restore}
        onConfirm={() => restore(restored ?? 0)}
        onClose={() => setRestored(undefined)}
      >
        <Text>{texts.restoreText(restored ?? 0)}</Text>
      </ConfirmDialog>
    </Stack>
  )
}

type EditionProps = Props & {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly versions: readonly VersionRow[]
  readonly onChange: (editions: { readonly from?: string; readonly to?: string }) => void
}

function EditionComparison({ id, from, to, edited, versions, onChange }: EditionProps): ReactNode {
  const before = useEdition(id, from, edited)
  const after = useEdition(id, to, edited)
  const failure = before.error ?? after.error
  return (
    <Comparison
      {...{ from, to, versions, onChange }}
      before={before.data}
      after={after.data}
      error={failure}
    />
  )
}

/** A version never changes; the draft is what the page shows, saved or not. */
function useEdition(id: string, edition: string, { draft }: Props['edited']) {
  const { api } = useSession()
  const version = Number(edition)
  const query = useQuery({
    queryKey: ['endpoint-version', id, edition],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: edition !== 'draft',
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/endpoints/{id}/versions/{version}', {
          params: { path: { id, version } },
          signal,
        }),
      ),
  })
  return { data: edition === 'draft' ? draft : query.data?.definition, error: query.error }
}
