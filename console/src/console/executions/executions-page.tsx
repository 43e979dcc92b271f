/** The history of runs, with filters, figures, and what can be done with all that match. */
import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { DeleteAll, RerunAll } from './batch-dialogs.tsx'
import { executionColumns } from './execution-columns.tsx'
import { ExecutionFigures } from './execution-figures.tsx'
import { ExecutionFilters } from './execution-filters.tsx'
import { type ExecutionSummary, executionsKey, filterOf, type ListQuery } from './execution-queries.ts'

const NEWEST = '-startedAt'

export function ExecutionsPage(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [address, change] = useAddress()
  const [asked, setAsked] = useState<'rerun' | 'delete'>()
  const filter = filterOf(address)
  const sort = (address.sort ?? NEWEST) as NonNullable<ListQuery['sort']>
  const list = useList<ExecutionSummary>({
    key: [...executionsKey, filter, sort],
    read: async (after, signal) => {
      const query = given({ ...filter, sort, after, total: after === undefined })
      const { items, next, total } = await dataOf(
        api.GET('/api/admin/v1/executions', { params: { query }, signal }),
      )
      return { items, next, ...(total !== null && { total }) }
    },
  })
  const go = (path: string) => void navigate({ to: path })
  const isFiltered = Object.keys(filter).length > 0
  const hasFigures = address.figures !== 'hidden'
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchField label={texts.search} value={address.text} onChange={(text) => change({ text })} />
          {may('streamLiveExecutions') && (
            <Button size="xs" variant="default" onClick={() => go('/executions/live')}>
              {texts.live}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => change({ figures: hasFigures ? 'hidden' : undefined })}
          >
            {hasFigures ? texts.hideFigures : texts.showFigures}
          </Button>
          {(may('rerunExecutions') || may('deleteExecutions')) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  {texts.batch}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {may('rerunExecutions') && (
                  <Menu.Item onClick={() => setAsked('rerun')}>{texts.rerunAll}</Menu.Item>
                )}
                {may('deleteExecutions') && (
                  <Menu.Item c="var(--tone-bad)" onClick={() => setAsked('delete')}>
                    {texts.remove}
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </>
      }
    >
      {hasFigures && may('getExecutionSeries') && <ExecutionFigures endpointId={filter.endpointId} />}
      <ExecutionFilters address={address} onChange={change} />
      <ListTable
        label={texts.title}
        list={list}
        columns={executionColumns}
        rowKey={({ id }) => id}
        {...(may('getExecution') && { onOpen: ({ id }: ExecutionSummary) => go(`/executions/${id}`) })}
        sort={sort}
        onSort={(by) => change({ sort: by })}
        empty={
          isFiltered
            ? { title: texts.noneFound, hint: texts.noneFoundHint }
            : { title: texts.emptyTitle, hint: texts.emptyHint }
        }
      />
      {asked === 'rerun' && (
        <RerunAll
          filter={filter}
          onStarted={(id) => go(`/executions/reruns/${id}`)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'delete' && <DeleteAll filter={filter} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}
