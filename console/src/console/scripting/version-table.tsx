/** Published versions, newest first. */
import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/time.tsx'
import type { LoadedList } from '../../parts/use-list.ts'
import { scriptingTexts as texts } from '../../texts/scripts/scripting.ts'
import type { VersionRow } from './definition-types.ts'

type Props = {
  readonly list: LoadedList<VersionRow>
  readonly onCompare: (version: number) => void
  readonly onRestore?: (version: number) => void
}

export function VersionTable({ list, onCompare, onRestore }: Props): ReactNode {
  const columns: readonly Column<VersionRow>[] = [
    { id: 'version', header: texts.versionColumns.version, cell: ({ version }) => version },
    { id: 'at', header: texts.versionColumns.at, cell: ({ publishedAt }) => <Moment value={publishedAt} /> },
    { id: 'by', header: texts.versionColumns.by, isWide: true, cell: ({ publishedBy }) => publishedBy },
    { id: 'note', header: texts.versionColumns.note, isWide: true, cell: ({ note }) => note ?? '–' },
    {
      id: 'actions',
      header: '',
      align: 'right',
      cell: ({ version }) => (
        <Group gap="xs" justify="flex-end">
          <Button
            variant="default"
            size="compact-xs"
            aria-label={texts.compareOf(version)}
            onClick={() => onCompare(version)}
          >
            {texts.compare}
          </Button>
          {onRestore !== undefined && (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={texts.restoreOf(version)}
              onClick={() => onRestore(version)}
            >
              {texts.restore}
            </Button>
          )}
        </Group>
      ),
    },
  ]
  return (
    <ListTable
      label={texts.versions}
      list={list}
      columns={columns}
      rowKey={({ version }) => String(version)}
      empty={{ title: texts.noVersions, hint: texts.noVersionsHint }}
    />
  )
}
