/** The heads of a table: a click sorts, with Shift by one more field; the right edge is dragged to resize. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { CSSProperties, MouseEvent, ReactNode } from 'react'
import { recordTexts as texts } from '../../texts/records.ts'
import type { SortClause } from '../query/list-query.ts'
import classes from './record-grid.module.css'
import type { SizedColumn } from './use-column-sizes.ts'

type Props = {
  readonly columns: readonly SizedColumn[]
  readonly sort: readonly SortClause[]
  readonly onSort: (path: string, isAdded: boolean) => void
}

export const GridHeader = ({ columns, sort, onSort }: Props): ReactNode => (
  <thead className={classes.head}>
    <tr aria-rowindex={1} className={classes.row}>
      {columns.map((column, index) => (
        <th
          key={column.path}
          scope="col"
          aria-colindex={index + 1}
          aria-sort={column.isSortable ? directionOf(column.path, sort) : undefined}
          className={cellClass(column, classes.header)}
          style={cellStyle(column)}
        >
          {column.isSortable ? (
            <SortButton column={column} sort={sort} onSort={onSort} />
          ) : (
            <span className={classes.text}>{column.header}</span>
          )}
          <span
            aria-hidden
            className={classes.handle}
            data-resizing={column.isResizing || undefined}
            onMouseDown={column.startResizing}
            onTouchStart={column.startResizing}
          />
        </th>
      ))}
    </tr>
  </thead>
)

type SortButtonProps = Omit<Props, 'columns'> & { readonly column: SizedColumn }

function SortButton({ column: { path, header }, sort, onSort }: SortButtonProps): ReactNode {
  const rank = sort.findIndex((clause) => clause.path === path)
  const clause = sort[rank]
  const Arrow = clause?.isDescending ? IconArrowDown : IconArrowUp
  return (
    <button
      type="button"
      className={classes.sort}
      title={`${header}: ${texts.sortHint}`}
      onClick={(event: MouseEvent) => onSort(path, event.shiftKey)}
    >
      <span className={classes.text}>{header}</span>
      {clause !== undefined && <Arrow size={14} aria-hidden className={classes.arrow} />}
      {clause !== undefined && sort.length > 1 && (
        <span className={classes.rank}>
          <span aria-hidden>{rank + 1}</span>
          <span className="visually-hidden">{texts.sortRank(rank + 1)}</span>
        </span>
      )}
    </button>
  )
}

function directionOf(path: string, sort: readonly SortClause[]): 'ascending' | 'descending' | 'none' {
  const clause = sort.find((each) => each.path === path)
  if (clause === undefined) return 'none'
  return clause.isDescending ? 'descending' : 'ascending'
}

export const cellClass = ({ align, pinnedAtPx }: SizedColumn, other = ''): string =>
  [classes.cell, other, align === 'right' && classes.right, pinnedAtPx !== undefined && classes.pinned]
    .filter(Boolean)
    .join(' ')

export const cellStyle = ({ sizePx, pinnedAtPx }: SizedColumn): CSSProperties => ({
  width: `${sizePx}px`,
  ...(pinnedAtPx !== undefined && { insetInlineStart: `${pinnedAtPx}px` }),
})
