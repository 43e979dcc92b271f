import { IconStack2 } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import type { Area } from '../area.ts'

export const snapshots: Area = {
  destination: { path: '/snapshots', label: texts.title, icon: IconStack2, group: texts.group },
  right: 'listSnapshots',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots',
      component: lazyRouteComponent(() => import('./snapshots-page.tsx'), 'SnapshotsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/$id',
      component: lazyRouteComponent(() => import('./snapshot-page.tsx'), 'SnapshotPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/$id/rejects',
      component: lazyRouteComponent(() => import('./rejects-page.tsx'), 'RejectsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/refreshes/$id',
      component: lazyRouteComponent(() => import('./refresh-page.tsx'), 'RefreshPage'),
    }),
  ],
}
