/** Widths, pinning and resizing of columns, kept in the query: a drag shows at once and is written when it ends. */
import {
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useEffect, useMemo, useState } from 'react'
import type { ListQuery } from '../query/list-query.ts'
import type { Column, ListRecord } from './columns.ts'

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, columnPinningFeature })

/** Rows are virtual: the table knows the columns only. */
const noRows: ListRecord[] = []

export type SizedColumn = Column & {
  readonly sizePx: number
  /** From the left edge, of pinned columns. */
  readonly pinnedAtPx: number | undefined
  readonly isResizing: boolean
  /** For `mousedown` and `touchstart` of the handle. */
  readonly startResizing: (event: unknown) => void
}

type Options = {
  readonly columns: readonly Column[]
  readonly query: ListQuery
  readonly onResized: (widths: ListQuery['widths']) => void
}

export function useColumnSizes({ columns, query, onResized }: Options): readonly SizedColumn[] {
  const [dragged, setDragged] = useState<Record<string, number>>({})
  const definitions = useMemo(
    () => columns.map(({ path, widthPx }) => ({ id: path, size: widthPx, minSize: 48, maxSize: 1200 })),
    [columns],
  )
  const start = useMemo(
    () => columns.slice(0, query.pinnedCount).map(({ path }) => path),
    [columns, query.pinnedCount],
  )
  const table = useTable({
    features,
    columns: definitions,
    data: noRows,
    columnResizeMode: 'onChange',
    state: { columnSizing: dragged, columnPinning: { start, end: [] } },
    onColumnSizingChange: setDragged,
  })
  const isResizing = table.state.columnResizing.isResizingColumn !== false
  useEffect(() => {
    if (isResizing || Object.keys(dragged).length === 0) return
    const sizes = Object.entries(dragged).map(([path, size]) => [
      path,
      Math.min(Math.max(Math.round(size), 48), 1200),
    ])
    onResized({ ...query.widths, ...Object.fromEntries(sizes) })
    setDragged({})
  }, [isResizing, dragged, onResized, query.widths])
  const headers = new Map(table.getLeafHeaders().map((header) => [header.column.id, header]))
  return columns.flatMap((column) => {
    const header = headers.get(column.path)
    if (header === undefined) return []
    const isPinned = header.column.getIsPinned() === 'start'
    return [
      {
        ...column,
        sizePx: header.getSize(),
        pinnedAtPx: isPinned ? header.column.getStart('start') : undefined,
        isResizing: header.column.getIsResizing(),
        startResizing: header.getResizeHandler(),
      },
    ]
  })
}
