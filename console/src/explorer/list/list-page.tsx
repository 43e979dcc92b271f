/** A list: its filter and tools, its table, and beside it the record that is open. */
import { Box, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useRef } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { formatRecent } from '../../format/dates.ts'
import { formatCount } from '../../format/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { LoadingState } from '../../parts/states.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { recordTexts as texts } from '../../texts/records.ts'
import { type ListAddress, useListQuery } from '../query/use-list-query.ts'
import { ListContent } from './list-content.tsx'
import classes from './list-page.module.css'
import { ListTools, OpenTool } from './list-tools.tsx'
import { useActiveRecord } from './use-active-record.ts'
import type { Records } from './use-records.ts'

const FilterBar = lazy(() => import('../filter/filter-bar.tsx'))
const RecordPanel = lazy(() => import('../record/record-panel.tsx'))

/** Another list is another page: nothing of the one before stays. */
export function ListPage(): ReactNode {
  const address = useListQuery()
  return <List key={address.query.list} {...address} />
}

function List(address: ListAddress): ReactNode {
  const { list } = address.query
  const [{ tool }, changeAddress] = useAddress()
  const { records, place, openKey, isElsewhere, takesFocus, ...actions } = useActiveRecord(address.query)
  const isCompact = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const content = useRef<HTMLDivElement>(null)
  const close = () => {
    actions.close()
    content.current?.querySelector('table')?.focus({ preventScroll: true })
  }
  const filter = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === '/' && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      filterFieldIn(filter.current)?.focus()
    }
    if (event.key !== 'Escape' || event.defaultPrevented || openKey === undefined) return
    event.preventDefault()
    close()
  }
  const { total, error } = records
  // The table of before stays while a filter is refused; else there is none to count.
  const isFailed = error !== null && !(error instanceof ApiProblem && error.parameter === '$filter')
  const note = total === undefined || isFailed ? '' : texts.total(list, total, formatCount(total))
  return (
    <Page
      title={texts.lists[list]}
      note={
        <>
          <span aria-live="polite">{note}</span>
          {note !== '' && <DataOf records={records} />}
        </>
      }
      actions={<ListTools {...address} openTool={tool} onOpenTool={(id) => changeAddress({ tool: id })} />}
      layout="fill"
    >
      <div ref={filter} className={classes.filter}>
        <Suspense>
          <FilterBar {...address} error={records.error} />
        </Suspense>
      </div>
      <OpenTool {...address} openTool={tool} onClose={() => changeAddress({ tool: undefined })} />
      <Box ref={content} className={classes.content} onKeyDown={onKeyDown}>
        <ListContent
          {...address}
          records={records}
          place={place}
          isElsewhere={isElsewhere}
          isCompact={isCompact}
          onActive={actions.activate}
          onOpen={actions.open}
          onShown={actions.onShown}
        />
        {openKey !== undefined && (
          <aside className={classes.panel} aria-label={texts.records[list]}>
            <Suspense fallback={<LoadingState />}>
              <RecordPanel
                list={list}
                recordKey={openKey}
                takesFocus={takesFocus}
                onMove={actions.moveBy}
                onClose={close}
              />
            </Suspense>
          </aside>
        )}
      </Box>
    </Page>
  )
}

/** A plain input, or the editor that has taken its place. */
const filterFieldIn = (bar: HTMLElement | null): HTMLElement | null | undefined =>
  bar?.querySelector<HTMLElement>('input[data-filter]') ??
  bar?.querySelector('[data-filter-editor]')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')

/** How old the rows are, or in the same place that newer ones can be had. */
function DataOf({ records: { extractedAt, newer } }: { readonly records: Records }): ReactNode {
  const time = extractedAt === undefined ? undefined : formatRecent(extractedAt)
  return (
    <>
      {time !== undefined && !newer.isThere && (
        <span className={classes.asOf} title={extractedAt}>
          {texts.asOf(time)}
        </span>
      )}
      <span role="status">
        {newer.isThere && (
          <Button
            className={`${classes.tool} ${classes.newer}`}
            variant="light"
            size="xs"
            title={texts.newerThan(time ?? '')}
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={newer.isLoading}
            onClick={newer.show}
          >
            {texts.newer}
          </Button>
        )}
      </span>
    </>
  )
}
