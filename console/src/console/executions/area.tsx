import { IconActivity } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import type { Area } from '../area.ts'

export const executions: Area = {
  destination: { path: '/executions', label: texts.title, icon: IconActivity, group: texts.group },
  right: 'listExecutions',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/executions',
      component: lazyPart(async () => (await import('./executions-page.tsx')).ExecutionsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/live',
      component: lazyPart(async () => (await import('./live-page.tsx')).LivePage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/reruns/$id',
      component: lazyPart(async () => (await import('./job-page.tsx')).JobPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/$id',
      component: lazyPart(async () => (await import('./execution-page.tsx')).ExecutionPage),
    }),
  ],
}
