import { IconBell } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { notificationTexts as texts } from '../../texts/notifications.ts'
import type { Area } from '../area.ts'

export const notifications: Area = {
  destination: { path: '/notifications', label: texts.title, icon: IconBell, group: texts.group },
  right: 'listNotifications',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/notifications',
      component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
    }),
  ],
}
