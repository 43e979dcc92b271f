import { IconActivity } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { executionTexts as texts } from '../../texts/executions.ts'
import type { Area } from '../area.ts'

export const executions: Area = {
  destination: { path: '/executions', label: texts.title, icon: IconActivity, group: texts.group },
  right: 'listExecutions',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/executions',
      component: lazyRouteComponent(() => import('./executions-page.tsx'), 'ExecutionsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/live',
      component: lazyRouteComponent(() => import('./live-page.tsx'), 'LivePage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/reruns/$id',
      component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/executions/$id',
      component: lazyRouteComponent(() => import('./execution-page.tsx'), 'ExecutionPage'),
    }),
  ],
}
