import { IconBuilding } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { clientTexts as texts } from '../../texts/clients.ts'
import type { Area } from '../area.ts'

export const clients: Area = {
  destination: { path: '/clients', label: texts.title, icon: IconBuilding, group: texts.group },
  right: 'listClients',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/clients',
      component: lazyPart(async () => (await import('./clients-page.tsx')).ClientsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/clients/$number',
      component: lazyPart(async () => (await import('./client-page.tsx')).ClientPage),
    }),
  ],
}
