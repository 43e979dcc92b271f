/**
 * A list of the admin API as a table. A row opens by click or Enter; the arrow keys, Home and End move between rows. Columns
 * with a `sort` sort at the server.
 */
import { Button, Table, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { formatCount } from '../format/numbers.ts'
import { listTexts as texts } from '../texts/lists.ts'
import classes from './list-table.module.css'
import { EmptyState, ErrorState, LoadingState } from './states.tsx'
import type { LoadedList } from './use-list.ts'

export type Column<Row> = {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** The name by which the API sorts. */
  readonly sort?: string
  readonly align?: 'right'
  /** Left out on narrow screens; `very` also where the navigation leaves little room. */
  readonly isWide?: boolean | 'very'
  /** One long word, such as an address: may be broken anywhere on narrow screens. */
  readonly isLong?: boolean
}

type Props<Row> = {
  /** What the table lists, for those who do not see it. */
  readonly label: string
  readonly list: LoadedList<Row>
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  /** The row whose details are shown beside the list. */
  readonly openedKey?: string | undefined
  /** A member of the API's `sort`, with `-` in front for the last first. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  readonly empty: { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode }
}

export function ListTable<Row>({
  label,
  list,
  columns,
  rowKey,
  onOpen,
  openedKey,
  sort,
  onSort,
  empty,
}: Props<Row>): ReactNode {
  if (list.error !== null && list.rows.length === 0) {
    return <ErrorState title={texts.failed} error={list.error} onRetry={list.retry} />
  }
  if (list.isLoading) return <LoadingState />
  if (list.rows.length === 0) {
    return (
      <div className={classes.scroll}>
        <EmptyState {...empty} />
      </div>
    )
  }
  return (
    <div className={classes.scroll}>
      <Table
        className={classes.table}
        aria-label={label}
        highlightOnHover={onOpen !== undefined}
        highlightOnHoverColor="var(--frame-hover)"
        verticalSpacing={6}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody onKeyDown={moveBetweenRows}>
          {list.rows.map((row) => (
            <Table.Tr
              key={rowKey(row)}
              className={onOpen && classes.opens}
              tabIndex={onOpen && 0}
              aria-current={openedKey !== undefined && rowKey(row) === openedKey ? 'true' : undefined}
              onClick={onOpen && (() => onOpen(row))}
              onKeyDown={onOpen && ((event) => openByKey(event, () => onOpen(row)))}
            >
              {columns.map((column) => (
                <Table.Td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <div className={classes.foot}>
        <span>{footText(list)}</span>
        {list.error !== null && (
          <Text role="alert" size="sm" c="var(--tone-bad)">
            {texts.notUpToDate(list.error.message)}
          </Text>
        )}
        {list.more !== undefined && (
          <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={list.more}>
            {texts.more}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Some lists do not say how long they are before their last page. */
function footText({ rows, total, more }: LoadedList<unknown>): string {
  const shown = formatCount(rows.length)
  return more !== undefined && total === rows.length
    ? texts.shownSoFar(shown)
    : texts.shown(shown, formatCount(total))
}

type HeaderProps<Row> = {
  readonly column: Column<Row>
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
}

function HeaderCell<Row>({ column, sort, onSort }: HeaderProps<Row>): ReactNode {
  const { header, sort: name } = column
  if (name === undefined || onSort === undefined) {
    return (
      <Table.Th className={classOf(column)}>
        {header === '' ? <span className="visually-hidden">{texts.actions}</span> : header}
      </Table.Th>
    )
  }
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none'
  return (
    <Table.Th className={classOf(column)} aria-sort={direction}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => onSort(direction === 'ascending' ? `-${name}` : name)}
      >
        {header}
        {direction === 'ascending' && <IconArrowUp size={14} aria-hidden />}
        {direction === 'descending' && <IconArrowDown size={14} aria-hidden />}
      </button>
    </Table.Th>
  )
}

const classOf = <Row,>({ align, isWide, isLong }: Column<Row>): string =>
  [
    align === 'right' && classes.right,
    isWide && classes.wide,
    isWide === 'very' && classes.widest,
    isLong && classes.long,
  ]
    .filter(Boolean)
    .join(' ')

/** Only for the row itself: its buttons and links have keys of their own. */
function openByKey(event: KeyboardEvent, open: () => void): void {
  if (event.key === 'Enter' && event.target === event.currentTarget) open()
}

function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('tr[tabindex]')]
  const index = rows.indexOf(event.target as HTMLElement)
  if (index < 0) return
  const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
  const row = next === undefined ? undefined : rows[next]
  if (row === undefined) return
  event.preventDefault()
  row.focus()
}
