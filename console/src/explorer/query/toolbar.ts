/**
 * What stands in the toolbar of each list: a button each, which opens a panel. A panel is loaded when it is opened first, and
 * `tool` of the address names the open one.
 */
import { IconChartBar, IconCode, IconDownload } from '@tabler/icons-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Destination } from '../../app/destination.ts'
import { downloadTexts } from '../../texts/downloads.ts'
import { insightTexts } from '../../texts/insights.ts'
import { useQueryTexts } from '../../texts/use-query.ts'
import type { ListAddress } from './use-list-query.ts'

export type ToolProps = ListAddress & { readonly onClose: () => void }

export type Tool = {
  /** In the address. */
  readonly id: string
  readonly label: string
  readonly icon: Destination['icon']
  /** Between the toolbar and the table, or in a drawer over the page. */
  readonly place: 'above' | 'drawer'
  /** `lazy(() => import('../charts/charts-panel.tsx'))`; the module has a default export. */
  readonly Panel: LazyExoticComponent<ComponentType<ToolProps>>
}

/** In the order of the toolbar. */
export const toolbar: readonly Tool[] = [
  {
    ...{ id: 'charts', label: insightTexts.title, icon: IconChartBar, place: 'above' },
    Panel: lazy(() => import('../charts/charts-panel.tsx')),
  },
  {
    ...{ id: 'download', label: downloadTexts.title, icon: IconDownload, place: 'drawer' },
    Panel: lazy(() => import('../downloads/downloads-panel.tsx')),
  },
  {
    ...{ id: 'use', label: useQueryTexts.title, icon: IconCode, place: 'drawer' },
    Panel: lazy(() => import('../use-query/use-query-panel.tsx')),
  },
]
