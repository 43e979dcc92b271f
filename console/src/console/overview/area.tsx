import { IconGauge } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { overviewTexts as texts } from '../../texts/overview.ts'
import type { Area } from '../area.ts'

export const overview: Area = {
  destination: { path: '/', label: texts.title, icon: IconGauge },
  right: 'getMe',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/',
      component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
    }),
  ],
}
