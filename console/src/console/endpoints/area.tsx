import { IconCode } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import type { Area } from '../area.ts'

export const endpoints: Area = {
  destination: { path: '/endpoints', label: texts.title, icon: IconCode, group: 'Scripts' },
  right: 'listEndpoints',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/endpoints',
      component: lazyPart(async () => (await import('./endpoints-page.tsx')).EndpointsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/endpoints/$id',
      component: lazyPart(async () => (await import('./endpoint-page.tsx')).EndpointPage),
    }),
  ],
}
