/**
 * The records of a list as a table of which only the rows in view exist. The table has the focus and names the active row;
 * arrow keys, Page Up, Page Down, Home and End move it, Enter opens its record.
 */
import { Box } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { recordTexts as texts } from '../../texts/records.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import { Cell } from './cell.tsx'
import { type Column, columnsOf, type ListRecord } from './columns.ts'
import { cellClass, cellStyle, GridHeader } from './grid-header.tsx'
import { rowAfterKey } from './grid-keys.ts'
import classes from './record-grid.module.css'
import { sortedBy } from './sorting.ts'
import { type SizedColumn, useColumnSizes } from './use-column-sizes.ts'
import type { Records } from './use-records.ts'

type Props = ListAddress & {
  readonly records: Records
  /** The active row; a new object is a reason to bring it into view. */
  readonly place: { readonly row: number }
  /** The open record is not that of the active row, which is marked less then. */
  readonly isElsewhere: boolean
  /** Narrow screens: each record is one cell of some lines. */
  readonly isCompact: boolean
  readonly onActive: (row: number) => void
  readonly onOpen: (row: number, by: 'pointer' | 'keyboard') => void
  readonly onShown: (first: number, last: number) => void
}

const HEAD_ROWS = 1
/** With its border. */
const HEAD_REM = 2.4

export function RecordGrid(props: Props): ReactNode {
  const { query, change, records, place, isElsewhere, isCompact, onActive, onOpen, onShown } = props
  const scroll = useRef<HTMLDivElement>(null)
  const rowPx = useMemo(() => (isCompact ? 4 : 2) * remPx(), [isCompact])
  const rowCount = records.total ?? 0
  const isLoading = records.isStale && records.error === null
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
    // The head stays in view and pushes the rows down by its height.
    scrollPaddingEnd: isCompact ? 0 : HEAD_REM * remPx(),
  })
  const shown = rows.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => onShown(first, last), [first, last, onShown])
  const active = place.row
  useEffect(() => {
    if (rows.options.count > 0) rows.scrollToIndex(place.row)
  }, [rows, place])
  const columns = useMemo(() => columnsOf(query), [query])
  const sized = useColumnSizes({ columns, query, onResized: (widths) => change({ widths }) })
  const widthPx = sized.reduce((sum, { sizePx }) => sum + sizePx, 0)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Enter') return onOpen(active, 'keyboard')
    const rowsPerPage = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowPx) - 2)
    const next = rowAfterKey(event.key, { row: active, rowCount, rowsPerPage })
    if (next === undefined) return
    event.preventDefault()
    onActive(next)
  }
  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-loading={isLoading || undefined}
      data-elsewhere={isElsewhere || undefined}
    >
      <Box
        component="table"
        role="grid"
        className={classes.table}
        aria-label={texts.lists[query.list]}
        aria-rowcount={rowCount + HEAD_ROWS}
        aria-colcount={isCompact ? 1 : columns.length}
        aria-busy={isLoading}
        aria-activedescendant={shown.some(({ index }) => index === active) ? rowId(active) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={isCompact ? undefined : { minWidth: `max(100%, ${widthPx}px)` }}
      >
        {isCompact ? (
          <CompactHeader name={texts.lists[query.list]} />
        ) : (
          <GridHeader
            columns={sized}
            sort={query.sort}
            onSort={(path, isAdded) => change({ sort: sortedBy(query.sort, path, isAdded) })}
          />
        )}
        <tbody className={classes.body} style={{ height: `${rows.getTotalSize()}px` }}>
          {shown.map(({ index, start }) => (
            <tr
              key={index}
              id={rowId(index)}
              aria-rowindex={index + 1 + HEAD_ROWS}
              aria-selected={index === active}
              className={`${classes.row} ${classes.record}`}
              style={{ transform: `translateY(${start}px)`, height: `${rowPx}px` }}
              onClick={() => onOpen(index, 'pointer')}
            >
              {isCompact ? (
                <CompactCell columns={columns} record={records.at(index)} />
              ) : (
                <Cells columns={sized} record={records.at(index)} />
              )}
            </tr>
          ))}
        </tbody>
      </Box>
    </div>
  )
}

const rowId = (index: number): string => `record-${index}`

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

type CellsProps = { readonly columns: readonly SizedColumn[]; readonly record: ListRecord | undefined }

const Cells = ({ columns, record }: CellsProps): ReactNode =>
  columns.map((column, index) => (
    <td key={column.path} aria-colindex={index + 1} className={cellClass(column)} style={cellStyle(column)}>
      {record === undefined ? (
        <span className={classes.pending} />
      ) : (
        <Cell record={record} place={column.place} />
      )}
    </td>
  ))

/** For those who do not see the table; there is nothing to look at above a list. */
const CompactHeader = ({ name }: { readonly name: string }): ReactNode => (
  <thead className="visually-hidden">
    <tr aria-rowindex={1}>
      <th scope="col">{name}</th>
    </tr>
  </thead>
)

const COMPACT_COLUMNS = 5

type CompactProps = { readonly columns: readonly Column[]; readonly record: ListRecord | undefined }

/** The first two columns and the first amount as a title, the next ones below. */
function CompactCell({ columns, record }: CompactProps): ReactNode {
  const amount = columns.slice(2).find(({ place }) => place.kind === 'field' && place.value === 'decimal')
  const others = columns.filter((column) => column !== amount)
  return (
    <td className={classes.compact}>
      {record === undefined ? (
        <span className={classes.pending} />
      ) : (
        <>
          <span className={classes.title}>
            {columns.slice(0, 2).map(({ path, place }) => (
              <span key={path}>
                <Cell record={record} place={place} />
              </span>
            ))}
            {amount !== undefined && (
              <span className={classes.amount} title={amount.header}>
                <Cell record={record} place={amount.place} />
              </span>
            )}
          </span>
          <span className={classes.more}>
            {others.slice(2, COMPACT_COLUMNS).map(({ path, place, header }) => (
              <span key={path}>
                {header}: <Cell record={record} place={place} />
              </span>
            ))}
          </span>
        </>
      )}
    </td>
  )
}
