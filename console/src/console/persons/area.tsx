import { IconUsers } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { personTexts as texts } from '../../texts/persons.ts'
import type { Area } from '../area.ts'

export const persons: Area = {
  destination: { path: '/persons', label: texts.title, icon: IconUsers, group: texts.group },
  right: 'listPersons',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/persons',
      component: lazyRouteComponent(() => import('./persons-page.tsx'), 'PersonsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/persons/$id',
      component: lazyRouteComponent(() => import('./person-page.tsx'), 'PersonPage'),
    }),
  ],
}
