import { IconServerCog } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { systemTexts as texts } from '../../texts/system.ts'
import type { Area } from '../area.ts'

export const system: Area = {
  destination: { path: '/system', label: texts.title, icon: IconServerCog, group: texts.group },
  right: 'getSystem',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/system',
      component: lazyPart(async () => (await import('./system-page.tsx')).SystemPage),
    }),
  ],
}
