/** The table, or what stands in its place when there is nothing to show. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { recordTexts as texts } from '../../texts/records.ts'
import { defaultsOf } from '../query/list-query.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import classes from './list-page.module.css'
import { RecordGrid } from './record-grid.tsx'
import type { Records } from './use-records.ts'

type Props = ListAddress & {
  readonly records: Records
  /** The active row; a new object is a reason to bring it into view. */
  readonly place: { readonly row: number }
  /** The open record is not that of the active row. */
  readonly isElsewhere: boolean
  readonly isCompact: boolean
  readonly onActive: (row: number) => void
  readonly onOpen: (row: number, by: 'pointer' | 'keyboard') => void
  readonly onShown: (first: number, last: number) => void
}

export function ListContent(props: Props): ReactNode {
  const { query, change, records } = props
  const { error, partError, total, retry } = records
  const isOfFilter = error instanceof ApiProblem && error.parameter === '$filter'
  if (error !== null && !isOfFilter) {
    return <FailedList {...props} error={error} />
  }
  if (total === 0 && error === null && !records.isStale) {
    return (
      <div className={classes.instead}>
        {query.filter === '' ? (
          <EmptyState title={texts.nothing(query.list)} hint={texts.nothingHint} />
        ) : (
          <EmptyState
            title={texts.nothingFound(query.list)}
            hint={texts.nothingFoundHint}
            action={
              <Button variant="default" size="xs" onClick={() => change({ filter: '' })}>
                {texts.clearFilter}
              </Button>
            }
          />
        )}
      </div>
    )
  }
  // A grid keeps the heights of its rows, which another width of the page changes.
  return (
    <div className={classes.rows}>
      {partError !== null && <ErrorState title={texts.failedPart} error={partError} onRetry={retry} />}
      <RecordGrid key={String(props.isCompact)} {...props} />
    </div>
  )
}

/** An order or a column that the service refuses can be taken back, which a second attempt cannot. */
function FailedList({ query, change, records, error }: Props & { readonly error: Error }): ReactNode {
  const isRefused = error instanceof ApiProblem && error.status === 400
  const { sort, columns, pinnedCount } = defaultsOf[query.list]
  return (
    <div className={classes.instead}>
      <ErrorState title={texts.failed} error={error} {...(!isRefused && { onRetry: records.retry })} />
      {isRefused && (
        <Button
          variant="default"
          size="xs"
          m="md"
          mt={0}
          onClick={() => change({ sort, columns, pinnedCount })}
        >
          {texts.resetView}
        </Button>
      )}
    </div>
  )
}
