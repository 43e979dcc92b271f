import { IconBell } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { notificationTexts as texts } from '../../texts/notifications.ts'
import type { Area } from '../area.ts'

export const notifications: Area = {
  destination: { path: '/notifications', label: texts.title, icon: IconBell, group: texts.group },
  right: 'listNotifications',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/notifications',
      component: lazyPart(async () => (await import('./notifications-page.tsx')).NotificationsPage),
    }),
  ],
}
