/** The endpoints and modules that import a module. */
import type { ReactNode } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { dataOf } from '../../api/client.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { useList } from '../../parts/use-list.ts'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import { useSession } from '../session/session.tsx'

type Importer =
  paths['/api/admin/v1/modules/{name}/importers']['get']['responses'][200]['content']['application/json']['items'][number]

type Props = { readonly name: string; readonly newest: number | null }

export function ImportersTab({ name, newest }: Props): ReactNode {
  const { api } = useSession()
  const list = useList<Importer>({
    key: ['module-importers', name],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/modules/{name}/importers', {
          params: { path: { name }, query: after === undefined ? {} : { after } },
          signal,
        }),
      ),
  })
  const columns: readonly Column<Importer>[] = [
    { id: 'kind', header: texts.importerColumns.kind, cell: ({ kind }) => texts.kinds[kind] },
    {
      id: 'name',
      header: texts.importerColumns.name,
      cell: (row) => (
        <TextLink to={row.id === null ? `/modules/${row.name}` : `/endpoints/${row.id}`}>{row.name}</TextLink>
      ),
    },
    {
      id: 'published',
      header: texts.importerColumns.published,
      cell: ({ keptVersion }) => keptText(keptVersion, newest),
    },
    {
      id: 'draft',
      header: texts.importerColumns.draft,
      cell: ({ isInDraft }) => (isInDraft ? texts.yes : texts.no),
    },
  ]
  return (
    <ListTable
      label={texts.importers}
      list={list}
      columns={columns}
      rowKey={(row) => `${row.kind} ${row.id ?? row.name}`}
      empty={{ title: texts.noImporters, hint: texts.noImportersHint }}
    />
  )
}

function keptText(kept: number | null, newest: number | null): string {
  if (kept === null) return texts.notPublished
  return kept === newest ? texts.version(kept) : `${texts.version(kept)}, ${texts.outdated}`
}
