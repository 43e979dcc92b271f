import { IconLock } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { secretTexts as texts } from '../../texts/secrets.ts'
import type { Area } from '../area.ts'

export const secrets: Area = {
  destination: { path: '/secrets', label: texts.title, icon: IconLock, group: texts.group },
  right: 'listSecrets',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/secrets',
      component: lazyPart(async () => (await import('./secrets-page.tsx')).SecretsPage),
    }),
  ],
}
