import { IconUsers } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { personTexts as texts } from '../../texts/persons.ts'
import type { Area } from '../area.ts'

export const persons: Area = {
  destination: { path: '/persons', label: texts.title, icon: IconUsers, group: texts.group },
  right: 'listPersons',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/persons',
      component: lazyPart(async () => (await import('./persons-page.tsx')).PersonsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/persons/$id',
      component: lazyPart(async () => (await import('./person-page.tsx')).PersonPage),
    }),
  ],
}
