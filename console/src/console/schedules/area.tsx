import { IconClock } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { scheduleTexts as texts } from '../../texts/scripts/schedules.ts'
import type { Area } from '../area.ts'

export const schedules: Area = {
  destination: { path: '/schedules', label: texts.title, icon: IconClock, group: 'Scripts' },
  right: 'listSchedules',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/schedules',
      component: lazyPart(async () => (await import('./schedules-page.tsx')).SchedulesPage),
    }),
  ],
}
