import { IconClock } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { scheduleTexts as texts } from '../../texts/scripts/schedules.ts'
import type { Area } from '../area.ts'

export const schedules: Area = {
  destination: { path: '/schedules', label: texts.title, icon: IconClock, group: 'Scripts' },
  right: 'listSchedules',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/schedules',
      component: lazyRouteComponent(() => import('./schedules-page.tsx'), 'SchedulesPage'),
    }),
  ],
}
