import { IconLock } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { secretTexts as texts } from '../../texts/secrets.ts'
import type { Area } from '../area.ts'

export const secrets: Area = {
  destination: { path: '/secrets', label: texts.title, icon: IconLock, group: texts.group },
  right: 'listSecrets',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/secrets',
      component: lazyRouteComponent(() => import('./secrets-page.tsx'), 'SecretsPage'),
    }),
  ],
}
