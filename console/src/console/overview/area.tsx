import { IconGauge } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { overviewTexts as texts } from '../../texts/overview.ts'
import type { Area } from '../area.ts'

export const overview: Area = {
  destination: { path: '/', label: texts.title, icon: IconGauge },
  right: 'getMe',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/',
      component: lazyPart(async () => (await import('./overview-page.tsx')).OverviewPage),
    }),
  ],
}
