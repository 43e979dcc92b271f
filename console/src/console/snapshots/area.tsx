import { IconStack2 } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import type { Area } from '../area.ts'

export const snapshots: Area = {
  destination: { path: '/snapshots', label: texts.title, icon: IconStack2, group: texts.group },
  right: 'listSnapshots',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots',
      component: lazyPart(async () => (await import('./snapshots-page.tsx')).SnapshotsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/$id',
      component: lazyPart(async () => (await import('./snapshot-page.tsx')).SnapshotPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/$id/rejects',
      component: lazyPart(async () => (await import('./rejects-page.tsx')).RejectsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/snapshots/refreshes/$id',
      component: lazyPart(async () => (await import('./refresh-page.tsx')).RefreshPage),
    }),
  ],
}
